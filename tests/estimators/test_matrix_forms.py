"""Every estimator takes X in every form of SciPy and NumPy, and says the same of it."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

import termsift as ts

X = np.array([[1, 0, 2, 1], [0, 1, 1, 0], [2, 0, 0, 1], [0, 3, 1, 0], [1, 1, 0, 0]])
Y = [0, 1, 0, 1, 0]
ESTIMATORS = {
    "TermSelector": lambda: ts.TermSelector(k=2),
    "TermWeighter": ts.TermWeighter,
    "ClassWeightExtractor": ts.ClassWeightExtractor,
    "WordClusterExtractor": lambda: ts.WordClusterExtractor(2),
    "GreedyDiscriminationSelector": lambda: ts.GreedyDiscriminationSelector(2),
    "PositiveNegativeSelector": lambda: ts.PositiveNegativeSelector(k=2),
}


def read_only(matrix):
    for array in (matrix.data, matrix.indices, matrix.indptr) if sp.issparse(matrix) else (matrix,):
        array.flags.writeable = False
    return matrix


FORMS = {
    **{
        f"{form}_{kind}": lambda form=form, kind=kind: getattr(sp, f"{form}_{kind}")(X)
        for form in ("csr", "csc", "coo", "bsr", "dia", "lil", "dok")
        for kind in ("matrix", "array")
    },
    **{
        kind: lambda kind=kind: X.astype(kind)
        for kind in ("float16", "float32", "longdouble", ">f8", ">i4", "u1")
    },
    "sparse longdouble": lambda: sp.csr_array(X.astype("longdouble")),
    "read-only": lambda: read_only(X.copy()),
    "read-only CSR": lambda: read_only(sp.csr_array(X)),
    "read-only CSC": lambda: read_only(sp.csc_array(X)),
    "Fortran": lambda: np.asfortranarray(X),
    "strided": lambda: np.repeat(X, 2, axis=1)[:, ::2],
}


def dense(matrix):
    return matrix.toarray() if sp.issparse(matrix) else matrix


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
@pytest.mark.parametrize("name", ESTIMATORS)
def test_every_form_of_x_gives_the_same(name, form):
    expected = ESTIMATORS[name]().fit(X, Y)
    found = ESTIMATORS[name]().fit(form(), Y)
    assert found.counts_ == expected.counts_
    np.testing.assert_allclose(dense(found.transform(form())), dense(expected.transform(X)), rtol=1e-6)


@pytest.mark.parametrize("name", ESTIMATORS)
def test_complex_numbers_are_an_error(name):
    for matrix in (X.astype(complex), sp.csr_array(X.astype(complex)), sp.coo_array(X.astype(complex))):
        with pytest.raises(ValueError, match="Complex data not supported"):
            ESTIMATORS[name]().fit(matrix, Y)


@pytest.mark.parametrize("name", ESTIMATORS)
def test_the_ends_of_the_range_of_counts_can_be_fitted(name):
    for scale in (2.0**-53, 2.0**40, 2.0**48):
        estimator = ESTIMATORS[name]().fit(X * scale, Y)
        assert np.isfinite(dense(estimator.transform(X * scale))).all()
