"""The pages on runtimes have the tables as they are."""

import pytest

from docs.claims_tables import (
    JAX_PAGE,
    LITERT_PAGE,
    ONNXRUNTIME_PAGE,
    TORCH_PAGE,
    jax_page,
    litert_page,
    onnxruntime_page,
    torch_page,
)


def test_the_page_on_litert_is_fresh() -> None:
    """``make docs`` would change nothing."""
    assert litert_page() == LITERT_PAGE.read_text(encoding="utf-8")


def test_the_page_on_onnxruntime_is_fresh() -> None:
    """``make docs`` would change nothing."""
    assert onnxruntime_page() == ONNXRUNTIME_PAGE.read_text(encoding="utf-8")


def test_the_page_on_torch_is_fresh() -> None:
    """``make docs`` would change nothing."""
    assert torch_page() == TORCH_PAGE.read_text(encoding="utf-8")


def test_the_page_on_jax_is_fresh() -> None:
    """``make docs`` would change nothing; it leaves the page alone where JAX is not installed."""
    pytest.importorskip("jax", reason="needs the extra jax: pip install 'nnvet[jax]'")
    assert jax_page() == JAX_PAGE.read_text(encoding="utf-8")
