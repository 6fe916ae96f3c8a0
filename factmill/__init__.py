"""factmill mills facts into question-answer pairs for a PAQ-style corpus."""

from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"
__all__ = ["Retriever", "__version__"]

if TYPE_CHECKING:
    from factmill.search import Retriever


def __getattr__(name: str) -> Any:
    """Import the retriever only when somebody asks for it: it pulls in FAISS and ONNX."""
    if name == "Retriever":
        from factmill.search import Retriever

        return Retriever
    raise AttributeError(f"module 'factmill' has no attribute {name!r}")
