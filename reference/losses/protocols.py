"""Declarations of a loss, and the checks that require them."""

from __future__ import annotations

from typing import Any, Literal, Protocol, runtime_checkable

from reference._validation import (
    FloatArray,
    IntArray,
    ParameterValueError,
    require_kind,
    require_positive,
)

FeatureNorm = Literal["l2", "l-infinity"]


@runtime_checkable
class Loss(Protocol):
    """A loss f(x, z) with what an empirical-risk algorithm needs to know of it.

    A guarantee rests on what is declared here, for every record that :meth:`validate` returns and
    every x. :func:`require_loss` refuses a loss that lacks any of it.
    """

    @property
    def convex(self) -> bool:
        """True if f is convex in x; False if it is not, or not known to be."""
        ...

    @property
    def lipschitz(self) -> float:
        """G: records' gradients at one x differ by at most 2G in :attr:`gradient_norm`.

        As they do where each is at most G; infinite where there is no bound.
        """
        ...

    @property
    def smoothness(self) -> float:
        """L: Lipschitz constant of the gradient, from the dual of :attr:`gradient_norm` to it."""
        ...

    @property
    def gradient_norm(self) -> FeatureNorm:
        """Norm in which gradients are bounded; l2 gives Definition 3.0.1 of Wang (2020)."""
        ...

    def validate(self, data: Any, dimension: int) -> Any:
        """Return the data as records of this loss, or raise; n is ``size`` of the result."""
        ...

    def size(self, records: Any) -> int:
        """Return the number n of records."""
        ...

    def gradient(self, records: Any, x: FloatArray, indices: IntArray | None = None) -> FloatArray:
        """Return the mean of the records' gradients (of those listed) at x, shape (p,).

        A record's gradient depends on no other record. That is probed on made-up records: see
        :mod:`reference.per_record`. So are Hessians.
        """
        ...


@runtime_checkable
class SecondOrderLoss(Loss, Protocol):
    """A loss for an algorithm that reads Hessians; its M is :attr:`smoothness`."""

    @property
    def hessian_lipschitz(self) -> float:
        """Lipschitz constant rho of every record's Hessian, from l2 to the spectral norm."""
        ...

    def hessian_change(self, dimension: int) -> float:
        """Return a bound on the l2 norm of the upper triangle of two records' Hessians' difference.

        2 M sqrt(p) holds of any loss (Wang (2020), proof of Theorem 4.3.2, l.4296), and less of
        Hessians of rank 1.
        """
        ...

    def hessian(self, records: Any, x: FloatArray, indices: IntArray | None = None) -> FloatArray:
        """Return the mean of the records' Hessians (of those listed) at x, shape (p, p)."""
        ...


@runtime_checkable
class RecordLoss(Protocol):
    """A loss f(x, z) for an algorithm that bounds every record's gradient itself."""

    def validate(self, data: Any, dimension: int) -> Any:
        """Return the data as records of this loss, an array or a tuple of arrays, or raise."""
        ...

    def size(self, records: Any) -> int:
        """Return the number n of records."""
        ...

    def values(self, records: Any, x: FloatArray) -> FloatArray:
        """Return f(x; z_i) for every record, shape (n,)."""
        ...

    def gradients(self, records: Any, x: FloatArray) -> FloatArray:
        """Return the gradient in x of every record, shape (n, p).

        A row depends on its own record alone, which is probed on made-up records: see
        :mod:`reference.per_record`. Where its arithmetic overflows it holds infinities
        or NaN, without a warning: no record may make a release fail.
        """
        ...


def require_loss(loss: Any, *, norm: FeatureNorm = "l2", convex: bool = False) -> None:
    """Raise unless ``loss`` declares what a guarantee rests on.

    Parameters
    ----------
    loss : Any
    norm : {"l2", "l-infinity"}, default "l2"
        Norm in which gradients must be bounded; a bound in l2 is one in l-infinity.
    convex : bool, default False
        Whether the guarantee rests on convexity.

    Raises
    ------
    TypeError, ValueError
        If it is no :class:`Loss`, its gradients have no bound in that norm, or it is not convex.
    """
    examples = "a loss with bounded gradients, such as reference.losses.Logistic()"
    require_kind("loss", loss, Loss, examples)
    if loss.gradient_norm not in ("l2", norm):
        raise ParameterValueError("loss", f"bound gradients in {norm}", got=f"{loss.gradient_norm}")
    require_positive("loss.lipschitz", loss.lipschitz)
    if convex and loss.convex is not True:
        raise ParameterValueError("loss", "be convex", got=f"{type(loss).__name__}")


def require_second_order_loss(loss: Any, dimension: int) -> None:
    """Raise unless ``loss`` declares bounds on gradients and on Hessians, both in l2.

    Parameters
    ----------
    loss : Any
    dimension : int
        p, of which the bound on the Hessians may be a function.

    Raises
    ------
    TypeError, ValueError
        If it is no :class:`SecondOrderLoss`, or its gradients or Hessians have no bound.
    """
    examples = "a loss with Hessians, such as reference.losses.Sigmoid()"
    require_kind("loss", loss, SecondOrderLoss, examples)
    require_loss(loss)
    require_positive("loss.hessian_change", loss.hessian_change(dimension))


def require_record_loss(loss: Any) -> None:
    """Raise TypeError unless ``loss`` is a :class:`RecordLoss`."""
    require_kind("loss", loss, RecordLoss, "a loss, such as reference.losses.SquaredError()")


def empirical_risk(loss: RecordLoss, data: Any, x: FloatArray) -> float:
    """Return F(x, D), the mean loss. Wang (2020), Definition 3.1.1 without the regulariser.

    Parameters
    ----------
    loss : RecordLoss
    data
        As in its ``validate``.
    x : ndarray of shape (p,)
    """
    return float(loss.values(loss.validate(data, x.size), x).mean())
