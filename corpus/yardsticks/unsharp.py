"""OpenCV's functions one after the other: cvtColor, sepFilter2D, addWeighted, max, divide, multiply.

Comparable: the same steps on the same numbers, but the picture's colours are interleaved, as OpenCV has them.
"""


def run(numpy, cv2):
    picture = numpy.random.default_rng(1).random((1536, 2560, 3), numpy.float32)
    kernel = cv2.getGaussianKernel(7, 1.5, cv2.CV_32F)

    def call():
        gray = cv2.cvtColor(picture, cv2.COLOR_RGB2GRAY)
        blur = cv2.sepFilter2D(gray, -1, kernel, kernel, borderType=cv2.BORDER_REPLICATE)
        sharpened = cv2.max(cv2.addWeighted(gray, 2, blur, -1, 0), 0)
        ratio = cv2.divide(sharpened, cv2.add(gray, 1 / 1024))
        return cv2.multiply(picture, cv2.merge([ratio, ratio, ratio]))

    return "OpenCV, six steps", call
