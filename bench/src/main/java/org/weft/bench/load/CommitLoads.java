package org.weft.bench.load;

import java.io.IOException;
import org.weft.bench.load.Workload.Load;
import org.weft.bench.load.Workload.Place;

/**
 * Loads that time a sync alone: over NFS, a COMMIT after UNSTABLE WRITEs. The writes before it have
 * their replies when it begins. So its time is what the server still has to do. Each thread has a
 * file of its own.
 */
final class CommitLoads {
  /** Bytes between two syncs of a stream. */
  static final int STREAM_BYTES = 8 << 20;

  /** Writes between two syncs of a file that is changed in pieces. */
  static final int PIECES = 256;

  private CommitLoads() {}

  /** Files that grow. */
  record Stream(Place place) implements Load {
    @Override
    public void reset() throws IOException {
      place.clear();
    }

    @Override
    public void run(Worker worker) throws IOException {
      for (long number = 0; worker.hasBudget(); number++) {
        write(worker, place.file(worker.index, number));
      }
    }

    private void write(Worker worker, String path) throws IOException {
      long size = place.settings().fileBytes();
      long written = 0;
      try (BenchFiles.Output out = place.files(worker.index).create(path)) {
        while (written < size && worker.hasBudget()) {
          long end = Math.min(size, written + STREAM_BYTES);
          append(worker, out, path, written, end);
          out.flush();
          worker.measure(end - written, out::sync);
          written = end;
        }
      }
      place.wrote(path, written);
    }

    private static void append(
        Worker worker, BenchFiles.Output out, String path, long from, long end) throws IOException {
      long id = Pattern.idOf(path);
      int chunk = worker.buffer.length;
      for (long offset = from; offset < end; offset += chunk) {
        int length = (int) Math.min(chunk, end - offset);
        out.write(worker.pattern.at(id, offset, length), 0, length);
      }
    }
  }

  /** Files that are there and are changed at random aligned offsets. */
  record Pieces(Place place) implements Load {
    @Override
    public void prepare() throws IOException {
      StreamLoads.fillAll(place);
    }

    @Override
    public void run(Worker worker) throws IOException {
      String path = place.file(worker.index, 0);
      long id = Pattern.idOf(path);
      int length = worker.buffer.length;
      long slots = StreamLoads.slots(place, length);
      try (BenchFiles.Update file = place.files(worker.index).update(path, true)) {
        while (worker.hasBudget()) {
          for (int piece = 0; piece < PIECES; piece++) {
            long offset = worker.random.nextLong(slots) * length;
            file.write(offset, worker.pattern.at(id, offset, length), length);
          }
          file.awaitReplies();
          worker.measure((long) PIECES * length, file::flush);
        }
      }
    }
  }
}
