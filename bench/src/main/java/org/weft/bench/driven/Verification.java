package org.weft.bench.driven;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.weft.bench.load.BenchFiles;
import org.weft.bench.load.BenchTarget;
import org.weft.bench.load.FileCheck;
import org.weft.bench.load.Threads;

/** Reads by a new client what a manifest names, and compares every byte. */
record Verification(BenchTarget target) {
  private static final int THREADS = 8;

  /**
   * Counts files, bytes, and those that are gone as they should.
   *
   * @throws IOException that names the first that is not as it must be
   */
  Map<String, Object> run(Path manifest) throws IOException {
    List<Manifest.Entry> entries = Manifest.read(manifest);
    AtomicInteger next = new AtomicInteger();
    AtomicInteger gone = new AtomicInteger();
    AtomicLong bytes = new AtomicLong();
    try (BenchFiles files = target.connect()) {
      Threads.run(
          THREADS,
          thread -> {
            FileCheck check = new FileCheck(files);
            for (int i = next.getAndIncrement(); i < entries.size(); i = next.getAndIncrement()) {
              Manifest.Entry entry = entries.get(i);
              check.check(entry.path(), entry.lengthBytes());
              if (entry.lengthBytes() < 0) {
                gone.incrementAndGet();
              } else {
                bytes.addAndGet(entry.lengthBytes());
              }
            }
          });
    }
    return Map.of("files", entries.size() - gone.get(), "bytes", bytes.get(), "gone", gone.get());
  }
}
