"""The same method from OpenCV's parts: remapping in NumPy's and OpenCV's arithmetic, pyrDown, pyrUp.

Comparable in work, but for pyrDown's and pyrUp's filters of five taps instead of four and two.
"""

LEVELS, DEPTH = 8, 8


def run(numpy, cv2):
    picture = numpy.random.default_rng(1).integers(0, 65536, (1536, 2560, 3), numpy.uint16)
    steps = LEVELS - 1

    def gaussian(f):
        levels = [f]
        for _ in range(DEPTH - 1):
            levels.append(cv2.pyrDown(levels[-1]))
        return levels

    def upsampled(f, like):
        return cv2.pyrUp(f, dstsize=like.shape[1::-1])

    def remapped(gray, k):
        offset = cv2.subtract(cv2.multiply(gray, steps), k)
        curve = cv2.multiply(offset, cv2.exp(cv2.multiply(offset, offset, scale=-0.5)))
        return cv2.addWeighted(gray, 1, curve, 1 / steps, 0)

    def call():
        color = picture.astype(numpy.float32) / numpy.float32(65535)
        gray = cv2.cvtColor(color, cv2.COLOR_RGB2GRAY)
        grays = [cv2.multiply(level, steps) for level in gaussian(gray)]
        result = [numpy.zeros_like(level) for level in grays]
        for k in range(LEVELS):
            levels = gaussian(remapped(gray, k))
            for j, level in enumerate(levels):
                detail = level if j + 1 == DEPTH else cv2.subtract(level, upsampled(levels[j + 1], level))
                # Each reference counts for the brightnesses around it, less with distance.
                share = cv2.max(cv2.subtract(1, cv2.absdiff(grays[j], float(k))), 0)
                cv2.accumulateProduct(detail, share, result[j])
        whole = result[-1]
        for level in reversed(result[:-1]):
            whole = cv2.add(upsampled(whole, level), level)
        shade = cv2.divide(whole, cv2.add(gray, 1 / 1024))
        return cv2.multiply(color, cv2.merge([shade] * 3), scale=65535, dtype=cv2.CV_16U)

    return "OpenCV's parts", call
