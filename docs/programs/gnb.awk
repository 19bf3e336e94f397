BEGIN { FS = "," }
FNR == 1 { file++; next }
file == 1 { c = of[++N] = $NF; n[c]++; d = NF - 1
  for (j = 1; j <= d; j++) { x[N, j] = $j; s[c, j] += $j; t[j] += $j } }
file == 2 && !ready { ready = 1
  for (i = 1; i <= N; i++) for (j = 1; j <= d; j++) { c = of[i]
    v[c, j] += (x[i, j] - s[c, j] / n[c]) ^ 2 / (n[c] - DDOF); w[j] += (x[i, j] - t[j] / N) ^ 2 / N }
  for (j = 1; j <= d; j++) if (w[j] > most) most = w[j] }
file == 2 { best = ""
  for (c in n) { l = log(n[c] / N)
    for (j = 1; j <= d; j++) { u = v[c, j] + 1e-9 * most
      l -= 0.5 * (log(2 * 3.141592653589793 * u) + ($j - s[c, j] / n[c]) ^ 2 / u) }
    if (best == "" || l > top) { best = c; top = l } }
  print best }
