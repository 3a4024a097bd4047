package org.weft.bench.driven;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.weft.bench.load.CpuMeter;
import org.weft.bench.load.Scene;

/** A driven process over a folder: {@code DrivenLocal FOLDER}. */
public final class DrivenLocal {
  private DrivenLocal() {}

  public static void main(String[] arguments) throws IOException {
    LocalBenchFiles files = new LocalBenchFiles(Path.of(arguments[0]));
    try (DrivenBench driven = new DrivenBench(() -> files, new CpuMeter(), Scene.PLAIN)) {
      driven.serve(System.in, new PrintWriter(System.out, true, StandardCharsets.UTF_8));
    }
  }
}
