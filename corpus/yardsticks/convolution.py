"""oneDNN's convolution with bias and rectifier.

Comparable: the same work on the same layout of pictures. oneDNN has its weights in a layout of its own choice, packed
beforehand.
"""

DEFAULTS = {"channels_in": 128, "channels_out": 128, "window": 3, "stride": 1}
DEFAULTS |= {"width": 100, "height": 80, "pictures": 5}


def run(numpy, cv2, parameters=None):
    import onednn

    return "oneDNN 3.2 convolution", onednn.convolution(numpy, DEFAULTS | (parameters or {}))
