"""oneDNN's convolution with bias and rectifier.

Comparable: the same work on the same layout of pictures. oneDNN has its weights in a layout of its own choice, packed
beforehand.
"""

SHAPE = {"pictures": 4, "channels_in": 64, "channels_out": 64, "width": 120, "height": 100, "window": 3, "stride": 1}


def run(numpy, cv2):
    import onednn

    return "oneDNN 3.2 convolution", onednn.convolution(numpy, SHAPE)
