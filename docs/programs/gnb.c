/* cc -O2 gnb.c -lm -o gnb; ./gnb DDOF {train} {test}; labels are text, at most 64 classes */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static char line[1 << 20], label[64][256];
static int width, classes, count[64];
static double *sum[64], *squares[64], *total, *spread, row[1 << 16];
static int next_row(FILE *f) { /* fills row with the numbers, returns how many cells there are */
  int n = 0; char *cell = fgets(line, sizeof line, f) ? strtok(line, ",\r\n") : NULL;
  for (; cell; cell = strtok(NULL, ",\r\n")) { row[n++] = strtod(cell, NULL); strncpy(label[63], cell, 255); }
  return n; }
static int place(void) { int k = 0;
  while (k < classes && strcmp(label[k], label[63])) k++;
  if (k == classes) { strcpy(label[classes++], label[63]); sum[k] = calloc(width, 8); squares[k] = calloc(width, 8); }
  return k; }
int main(int n, char **argument) {
  int ddof = atoi(argument[1]), rows = 0; double most = 0; FILE *f;
  for (int pass = 0; pass < 2; pass++) { f = fopen(argument[2], "r"); width = next_row(f) - 1;
    if (!pass) { total = calloc(width, 8); spread = calloc(width, 8); }
    while (next_row(f)) { int k = place();
      for (int j = 0; j < width; j++)
        if (!pass) { sum[k][j] += row[j]; total[j] += row[j]; }
        else { double m = row[j] - sum[k][j] / count[k], t = row[j] - total[j] / rows;
          squares[k][j] += m * m; spread[j] += t * t / rows; if (spread[j] > most) most = spread[j]; }
      if (!pass) { count[k]++; rows++; } }
    fclose(f); }
  f = fopen(argument[3], "r"); next_row(f);
  while (next_row(f)) { int best = 0; double top = -INFINITY;
    for (int k = 0; k < classes; k++) { double score = log((double)count[k] / rows);
      for (int j = 0; j < width; j++) { double v = squares[k][j] / (count[k] - ddof) + 1e-9 * most;
        double d = row[j] - sum[k][j] / count[k]; score -= 0.5 * (log(2 * M_PI * v) + d * d / v); }
      if (score > top) { top = score; best = k; } }
    puts(label[best]); }
  return 0; }
