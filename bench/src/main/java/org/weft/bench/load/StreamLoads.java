package org.weft.bench.load;

import java.io.IOException;
import org.weft.bench.load.Workload.Load;
import org.weft.bench.load.Workload.Place;

/** Loads on large files. */
final class StreamLoads {
  private StreamLoads() {}

  record Write(Place place) implements Load {
    @Override
    public void reset() throws IOException {
      place.clear();
    }

    @Override
    public void run(Worker worker) throws IOException {
      int number = 0;
      do {
        write(worker, place.file(worker.index, number++));
      } while (worker.streamsOn());
    }

    private void write(Worker worker, String path) throws IOException {
      long id = Pattern.idOf(path);
      long size = place.settings().fileBytes();
      int chunk = worker.buffer.length;
      try (BenchFiles.Output out = place.files(worker.index).create(path)) {
        for (long offset = 0; offset < size; offset += chunk) {
          int length = (int) Math.min(chunk, size - offset);
          byte[] bytes = worker.pattern.at(id, offset, length);
          worker.measure(length, () -> out.write(bytes, 0, length));
        }
      }
      place.wrote(path, size);
    }
  }

  record Read(Place place) implements Load {
    @Override
    public void prepare() throws IOException {
      fillAll(place);
    }

    @Override
    public void run(Worker worker) throws IOException {
      do {
        readAll(worker);
      } while (worker.streamsOn());
    }

    private void readAll(Worker worker) throws IOException {
      String path = place.file(worker.index, 0);
      long size = place.settings().fileBytes();
      byte[] buffer = worker.buffer;
      try (BenchFiles.Input in = place.files(worker.index).open(path)) {
        for (long offset = 0; offset < size; offset += buffer.length) {
          int length = (int) Math.min(buffer.length, size - offset);
          worker.measure(length, () -> in.readFully(buffer, length));
          if (place.settings().verify()) {
            worker.pattern.verify(path, offset, buffer, length);
          }
        }
      }
    }
  }

  record RandomRead(Place place) implements Load {
    private String path() {
      return place.file(0, 0);
    }

    @Override
    public void prepare() throws IOException {
      place.mkdirs();
      fill(place, 0);
    }

    @Override
    public void run(Worker worker) throws IOException {
      byte[] buffer = worker.buffer;
      long slots = slots(place, buffer.length);
      try (BenchFiles.Input in = place.files(worker.index).open(path())) {
        while (worker.hasBudget()) {
          long offset = worker.random.nextLong(slots) * buffer.length;
          worker.measure(buffer.length, () -> in.readFully(offset, buffer));
          if (place.settings().verify()) {
            worker.pattern.verify(path(), offset, buffer, buffer.length);
          }
        }
      }
    }
  }

  /** The flush at the end belongs to its time, and is no operation. */
  record RandomWrite(Place place, boolean gathered) implements Load {
    @Override
    public void prepare() throws IOException {
      fillAll(place);
    }

    @Override
    public void run(Worker worker) throws IOException {
      String path = place.file(worker.index, 0);
      try (BenchFiles.Update file = place.files(worker.index).update(path, gathered)) {
        writeAtRandom(place, worker, file);
        file.flush();
      }
    }
  }

  record StableWrite(Place place) implements Load {
    @Override
    public void prepare() throws IOException {
      fillAll(place);
    }

    @Override
    public void run(Worker worker) throws IOException {
      String path = place.file(worker.index, 0);
      try (BenchFiles.Update file = place.files(worker.index).updateStable(path)) {
        writeAtRandom(place, worker, file);
      }
    }
  }

  private static void writeAtRandom(Place place, Worker worker, BenchFiles.Update file)
      throws IOException {
    long id = Pattern.idOf(place.file(worker.index, 0));
    int length = worker.buffer.length;
    long slots = slots(place, length);
    while (worker.hasBudget()) {
      long offset = worker.random.nextLong(slots) * length;
      byte[] bytes = worker.pattern.at(id, offset, length);
      worker.measure(length, () -> file.write(offset, bytes, length));
    }
  }

  /** How many reads or writes of that size a file has room for. */
  static long slots(Place place, int ioBytes) {
    long slots = place.settings().fileBytes() / ioBytes;
    if (slots == 0) {
      throw new IllegalArgumentException(
          "the file ("
              + place.settings().fileBytes()
              + " bytes) is smaller than one read or write");
    }
    return slots;
  }

  /** Makes each thread's file, where it is not there yet. */
  static void fillAll(Place place) throws IOException {
    place.mkdirs();
    Threads.run(place.settings().threads(), thread -> fill(place, thread));
  }

  private static void fill(Place place, int thread) throws IOException {
    String path = place.file(thread, 0);
    long size = place.settings().fileBytes();
    if (place.files(thread).lengthBytes(path) != size) {
      place.writeFile(thread, path, size);
    }
  }
}
