// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/* A Fourier transform of a cube, forth and back, by FFTW, which plans otherwise at each number of ranks. */
#include <fftw3-mpi.h>

enum { side = 64, turns = 20 };

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    fftw_mpi_init();
    ptrdiff_t rows, first;
    const ptrdiff_t size = fftw_mpi_local_size_3d(side, side, side, MPI_COMM_WORLD, &rows, &first);
    fftw_complex* data = fftw_alloc_complex((size_t)size);
    fftw_plan forth = fftw_mpi_plan_dft_3d(side, side, side, data, data, MPI_COMM_WORLD, FFTW_FORWARD,
                                           FFTW_ESTIMATE | FFTW_MPI_TRANSPOSED_OUT);
    fftw_plan back = fftw_mpi_plan_dft_3d(side, side, side, data, data, MPI_COMM_WORLD, FFTW_BACKWARD,
                                          FFTW_ESTIMATE | FFTW_MPI_TRANSPOSED_IN);
    for (ptrdiff_t i = 0; i < size; ++i) data[i][0] = (double)(i % 7), data[i][1] = 0;
    for (int turn = 0; turn < turns; ++turn) {
        fftw_execute(forth);
        for (ptrdiff_t i = 0; i < size; ++i)
            data[i][0] /= (double)side * side * side, data[i][1] /= (double)side * side * side;
        fftw_execute(back);
    }
    MPI_Finalize();
    return 0;
}
