# A consumer of the conformance vectors in R: the mechanisms and five algorithms.
#     touchstone conform --command "Rscript vectors/consumers/r/port.R"

library(jsonlite)

`%||%` <- function(a, b) if (is.null(a)) b else a
clipped <- function(x, most) pmin(pmax(x, -most), most)
shaped <- function(draw, x) if (is.matrix(x)) matrix(draw, nrow(x), ncol(x)) else draw
first_largest <- function(x) which.max(x) - 1 # which.max takes the first; indices are from 0

additive <- function(x, scale, draw) clipped(x, 2^40 * scale) + scale * shaped(draw, x)
symmetric <- function(x, scale, draw, diagonal = 1) { # draws fill the upper triangle row by row
  noise <- matrix(0, nrow(x), nrow(x))
  noise[lower.tri(noise, diag = TRUE)] <- draw # by columns, which are the rows of the upper one
  diag(noise) <- diag(noise) * sqrt(diagonal)
  clipped(x, 2^40 * scale) + scale * (noise + t(noise) - diag(diag(noise), nrow(x)))
}
gumbel_max <- function(scores, rate, draw) first_largest(rate * scores + draw)
interval_exponential <- function(i, draw) { # draw: a Gumbel number for every piece, a uniform one
  rate <- i$epsilon / (2 * i$sensitivity)
  starts <- c(i$lower, i$breaks)
  ends <- c(i$breaks, i$upper)
  piece <- gumbel_max(clipped(i$scores, 2^40 / rate), rate, log(ends - starts) + draw[[1]]) + 1
  point <- starts[piece] + (ends[piece] - starts[piece]) * draw[[2]]
  if (point < ends[piece]) point else starts[piece]
}
noisy_max <- function(scores, scale, draw, excluded = NULL) {
  noisy <- scores + scale * draw
  noisy[excluded + 1] <- -Inf
  first_largest(noisy)
}
peeling <- function(x, count, scale, draws) {
  chosen <- c()
  for (k in seq_len(count)) chosen <- c(chosen, noisy_max(abs(x), scale, draws[[k]], chosen))
  values <- sapply(seq_len(count), function(k) x[chosen[k] + 1] + scale * draws[[count + k]])
  list(chosen, values)
}
response <- function(x, epsilon, draw, categories = 2) {
  keep <- 1 / (1 + (categories - 1) * exp(-epsilon))
  excess <- pmax(pmin((draw - keep) / (1 - keep), 1 - 2^-53), 0)
  other <- (x + 1 + floor(excess * (categories - 1))) %% categories
  shaped(ifelse(draw < keep, x, other), x)
}
l2_ball <- function(v, radius, epsilon, draw) { # draw: coin, truth, direction
  p <- ncol(v)
  size <- sqrt(rowSums(v^2))
  unit <- v / ifelse(size > 0, size, 1)
  unit[size == 0, 1] <- 1
  up <- ifelse(draw[[1]] < 0.5 + size / (2 * radius), 1, -1)
  up <- up * ifelse(draw[[2]] < 1 / (1 + exp(-epsilon)), 1, -1)
  direction <- draw[[3]] / sqrt(rowSums(draw[[3]]^2))
  agree <- ifelse((rowSums(direction * unit) > 0) == (up > 0), 1, -1)
  gammas <- exp(lgamma((p + 1) / 2) - lgamma(p / 2))
  agree * direction * radius / tanh(epsilon / 2) * sqrt(pi) * gammas
}

mechanisms <- list(
  gaussian = function(i, d) additive(i$value, i$scale, d[[1]]),
  laplace = function(i, d) additive(i$value, i$scale, d[[1]]),
  symmetric_gaussian = function(i, d) symmetric(i$value, i$scale, d[[1]], i$diagonal_variance %||% 1),
  symmetric_laplace = function(i, d) symmetric(i$value, i$scale, d[[1]]),
  wishart = function(i, d) i$value + i$scale * d[[1]] %*% t(d[[1]]),
  exponential = function(i, d) gumbel_max(i$scores, i$epsilon / (2 * i$sensitivity), d[[1]]),
  selections = function(i, d) sapply(seq_len(nrow(i$scores)), function(row)
    gumbel_max(i$scores[row, ], i$epsilon / (2 * i$sensitivity), d[[1]][row, ])),
  interval_exponential = function(i, d) interval_exponential(i, d[[1]]),
  noisy_max = function(i, d) noisy_max(i$scores, i$scale, d[[1]], i$excluded),
  peeling = function(i, d) peeling(i$value, i$count, i$scale, d),
  randomized_response = function(i, d) response(i$value, i$epsilon, d[[1]], i$categories %||% 2),
  unary = function(i, d) response(1 * outer(i$value, seq_len(i$categories) - 1, "=="), i$epsilon / 2, d[[1]]),
  bit = function(i, d) 1 * (d[[1]] < i$probability),
  l2_ball = function(i, d) l2_ball(i$value, i$radius, i$epsilon, d[[1]]),
  smooth = function(i, d) i$value + i$smooth_bound / i$divisor *
    (if ((i$noise %||% "arsinh-normal") == "gaussian") d[[1]] else sinh(d[[1]]))
)

unit_rows <- function(x) x / pmax(1, sqrt(rowSums(x^2)))
peeled <- function(i, d) { # zhang-1
  found <- peeling(i$vector, i$sparsity, i$constants$noise_scale, d)
  vector <- replace(0 * i$vector, found[[1]] + 1, found[[2]])
  list(support = I(found[[1]]), values = I(found[[2]]), vector = vector)
}
algorithms <- list(
  "wang-1" = function(i, d) { # clipped gradient EM of a Gaussian mixture
    beta <- i$initial
    if (i$model$type != "GaussianMixture") return(NULL)
    for (t in seq_len(i$n_iterations)) {
      signs <- tanh(drop(i$data %*% beta) / i$model$standard_deviation^2)
      gradients <- signs * i$data - rep(beta, each = nrow(i$data))
      clipped <- gradients / pmax(1, sqrt(rowSums(gradients^2)) / i$clipping_threshold)
      beta <- beta + i$step_size * (colMeans(clipped) + i$constants$noise_scale * d[[t]])
    }
    beta
  },
  "diss-5.1.30" = function(i, d) # every user for itself: Lap(b/epsilon) on what is cut to [0, b]
    mean(additive(pmin(pmax(i$data, 0), i$upper), i$upper / i$epsilon, d[[1]])),
  "diss-7.1.majority" = function(i, d)
    1 * (2 * colSums(response(i$data, i$epsilon, d[[1]])) >= nrow(i$data)),
  "diss-6.2-NAIVE" = function(i, d) {
    x <- unit_rows(i$data)
    symmetric(crossprod(x) / nrow(x), i$constants$noise_scale, d[[1]], i$constants$diagonal_variance %||% 1)
  },
  "zhang-1" = peeled
)

answer <- function(case) {
  known <- list(mechanisms = mechanisms, algorithms = algorithms)[[case$kind]][[case$of]]
  result <- if (!is.null(known)) known(case$inputs, case$draws)
  if (is.null(result)) list("not implemented" = TRUE) else list(result = result)
}
written <- function(x) { # jsonlite writes 15 digits; doubles need 17
  if (inherits(x, "AsIs")) return(paste0("[", paste(sapply(unclass(x), written), collapse = ","), "]"))
  if (is.list(x) && !is.null(names(x))) {
    fields <- paste0('"', names(x), '":', sapply(x, written))
    return(paste0("{", paste(fields, collapse = ","), "}"))
  }
  if (is.list(x)) return(paste0("[", paste(sapply(x, written), collapse = ","), "]"))
  if (is.matrix(x)) return(written(lapply(seq_len(nrow(x)), function(row) I(x[row, ]))))
  if (length(x) != 1) return(written(I(x)))
  if (is.logical(x)) tolower(x) else sprintf("%.17g", x)
}

each <- function(draws) { # several draws of one shape are read as one array
  if (is.list(draws)) return(draws)
  if (is.null(dim(draws))) return(as.list(draws))
  lapply(asplit(draws, 1), function(draw)
    if (length(dim(draws)) == 2) as.vector(draw) else array(draw, dim(draws)[-1]))
}

input <- file("stdin", "r")
while (length(line <- readLines(input, n = 1)) > 0) {
  case <- fromJSON(line)
  case$draws <- each(case$draws)
  cat(written(answer(case)), "\n", sep = "")
}
