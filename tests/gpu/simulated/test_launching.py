import numpy as np

from gpu.runtime.cuda import cuda
from gpu.runtime.kernel_sequence import begin_in_sequence
from gpu.runtime.launches import ALPHA, BETA, Launch, X, Y


@cuda.jit
def scaled_sum(shift, first, x, y, alpha, beta):
    thread = cuda.grid(1)
    begin_in_sequence()
    if thread < y.size:
        y[thread] = alpha * (x[thread] + shift[thread] + first) + beta * y[thread]


def test_a_launch_takes_new_vectors_and_factors_each_time():
    shift = cuda.to_device(np.arange(5.0))
    launch = Launch(scaled_sum, 1, 64, [shift, 100, X, Y, ALPHA, BETA], np.float64)
    for alpha, beta in ((1.0, 0.0), (-2.0, 3.0)):
        x, y = np.linspace(0, 1, 5), np.full(5, 7.0)
        device_x, device_y = cuda.to_device(x), cuda.to_device(y)
        launch(device_x, device_y, alpha, beta, 0)
        expected = alpha * (x + np.arange(5.0) + 100) + beta * y
        np.testing.assert_array_equal(device_y.copy_to_host(), expected)
