# A consumer of the conformance vectors in R: the mechanisms, five algorithms, and the samplers as far
# as doubles go.
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

# ---------------------------------------------------------------------- samplers: bytes in, draws out

bytes <- list(given = NULL, used = 0)
take <- function(count) {
  if (bytes$used + count > length(bytes$given)) stop("no bytes are left")
  taken <- bytes$given[bytes$used + seq_len(count)]
  bytes$used <<- bytes$used + count
  taken
}
below <- function(bound) { # what is not below the bound is drawn again
  width <- ceiling(log2(bound))
  count <- ceiling(width / 8)
  shift <- 8 * count - width
  repeat {
    if (count == 0) return(0)
    taken <- take(count)
    drawn <- taken[1] %/% 2^shift + sum(taken[-1] * 2^(8 * seq_along(taken[-1]) - shift))
    if (drawn < bound) return(drawn)
  }
}
words <- function(count) { # the halves of 64-bit integers: doubles have 53 bits
  four <- matrix(take(8 * count), nrow = 4)
  halves <- colSums(four * 256^(0:3))
  list(low = halves[c(TRUE, FALSE)], high = halves[c(FALSE, TRUE)])
}
gcd <- function(a, b) if (b == 0) a else gcd(b, a %% b)
bernoulli <- function(above, under) {
  common <- gcd(above, under)
  below(under / common) < above / common
}
up_to_one <- function(above, under) {
  k <- 1
  while (bernoulli(above, under * k)) k <- k + 1
  k %% 2 == 1
}
bernoulli_exp <- function(above, under) {
  while (above > under) {
    if (!up_to_one(1, 1)) return(FALSE)
    above <- above - under
  }
  up_to_one(above, under)
}
geometric <- function(scale) {
  rest <- below(scale)
  while (!bernoulli_exp(rest, scale)) rest <- below(scale)
  whole <- 0
  while (bernoulli_exp(1, 1)) whole <- whole + 1
  rest + scale * whole
}
discrete_laplace <- function(scale) repeat {
  size <- geometric(scale)
  negative <- below(2) == 1
  if (!(negative && size == 0)) return(if (negative) -size else size)
}
discrete_gaussian <- function(scale) repeat {
  drawn <- discrete_laplace(scale)
  if (bernoulli_exp((abs(drawn) - scale)^2, 2 * scale^2)) return(drawn)
}
integers <- function(bound, size) { # remainders; beyond the last multiple words are drawn again
  over <- ((2^32 %% bound)^2) %% bound # 2^64 modulo the bound
  drawn <- words(size)
  repeat {
    beyond <- which(over > 0 & drawn$high == 2^32 - 1 & drawn$low >= 2^32 - over)
    if (length(beyond) == 0) break
    again <- words(length(beyond))
    drawn$low[beyond] <- again$low
    drawn$high[beyond] <- again$high
  }
  (drawn$high %% bound * (2^32 %% bound) + drawn$low) %% bound
}
sure <- function(gap, margin) if (any(abs(gap) <= margin)) stop("doubles do not decide")
MARGIN <- 2^-46 # of a logarithm, a root or a wave, relative to the numbers in it
tails <- function(word) (word$high %% 2^31 * 2^32 + word$low + 0.5) / 2^63
signs <- function(word) ifelse(word$high >= 2^31, -1, 1)
rounded <- function(noise, value, scale) {
  grid <- 2^(floor(log2(scale)) - 30)
  base <- round(value / grid)
  sums <- (value / grid - base) + scale / grid * noise
  sure(0.5 - abs(sums - round(sums)), MARGIN * (1 + scale / grid * (1 + abs(noise))))
  I((base + round(sums)) * grid)
}
laplaces <- function(size) {
  word <- words(size)
  sure(tails(word), 2^-50)
  signs(word) * -log(tails(word))
}
normals <- function(size) {
  half <- ceiling(size / 2)
  radius <- words(half)
  angle <- words(half)
  sure(tails(radius), 2^-50)
  sizes <- sqrt(-2 * log(tails(radius)))
  turns <- tails(angle) * pi / 2
  c(signs(radius) * sizes * cos(turns), signs(angle) * sizes * sin(turns))[seq_len(size)]
}
fractions <- function(word) (word$high * 2^32 + word$low) / 2^64
coins <- function(chances, margin = 2^-52) {
  gap <- fractions(words(length(chances))) - chances
  sure(gap, margin)
  I(gap < 0)
}
selections <- function(scores, rate) {
  at <- fractions(words(nrow(scores)))
  I(sapply(seq_len(nrow(scores)), function(i) {
    sums <- cumsum(exp(rate * (scores[i, ] - max(scores[i, ]))))
    sure(sums - at[i] * sum(tail(sums, 1)), MARGIN * length(sums))
    sum(sums <= at[i] * tail(sums, 1))
  }))
}
samplers <- list(
  below = function(i) below(i$bound),
  integers = function(i) I(integers(i$bound, i$size)),
  bernoulli = function(i) bernoulli(i$numerator, i$denominator),
  "bernoulli-exp" = function(i) bernoulli_exp(i$numerator, i$denominator),
  geometric = function(i) geometric(i$scale),
  "discrete-laplace" = function(i) discrete_laplace(i$scale),
  "discrete-gaussian" = function(i) discrete_gaussian(i$scale),
  laplace = function(i) rounded(laplaces(length(i$value)), i$value, i$scale),
  gaussian = function(i) rounded(normals(length(i$value)), i$value, i$scale),
  coins = function(i) coins(i$chances),
  truths = function(i)
    coins(rep(1 / (1 + ((i$categories %||% 2) - 1) * exp(-i$epsilon)), i$size), 2^-50),
  selections = function(i) selections(i$scores, i$rate)
)
drawn <- function(sampler, inputs) { # nothing where doubles do not decide
  pairs <- matrix(strsplit(inputs$bytes, "")[[1]], nrow = 2)
  bytes <<- list(given = strtoi(paste0(pairs[1, ], pairs[2, ]), 16L), used = 0)
  tryCatch(list(drawn = sampler(inputs), used = bytes$used), error = function(e)
    if (conditionMessage(e) == "doubles do not decide") NULL else stop(e))
}

answer <- function(case) {
  known <- list(mechanisms = mechanisms, algorithms = algorithms, samplers = samplers)[[case$kind]][[case$of]]
  result <- if (!is.null(known)) {
    if (case$kind == "samplers") drawn(known, case$inputs) else known(case$inputs, case$draws)
  }
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
