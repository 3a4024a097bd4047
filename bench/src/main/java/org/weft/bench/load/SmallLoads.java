package org.weft.bench.load;

import java.io.IOException;
import org.weft.bench.load.Workload.Load;
import org.weft.bench.load.Workload.Place;

/** Loads on small files and small records. */
final class SmallLoads {
  private SmallLoads() {}

  record Write(Place place) implements Load {
    @Override
    public void reset() throws IOException {
      place.clear();
    }

    @Override
    public void run(Worker worker) throws IOException {
      BenchFiles files = place.files(worker.index);
      int length = worker.buffer.length;
      for (long number = 0; worker.hasBudget(); number++) {
        String path = place.file(worker.index, number);
        place.enter(worker.index, number);
        byte[] bytes = worker.pattern.at(Pattern.idOf(path), 0, length);
        worker.measure(
            length,
            () -> {
              try (BenchFiles.Output out = files.create(path)) {
                out.write(bytes, 0, length);
              }
            });
        place.wrote(path, length);
      }
    }
  }

  record Read(Place place) implements Load {
    @Override
    public void prepare() throws IOException {
      NamespaceLoads.populate(place, Workload.OPEN_READ.ioBytes(place.settings()));
    }

    @Override
    public void run(Worker worker) throws IOException {
      BenchFiles files = place.files(worker.index);
      byte[] buffer = worker.buffer;
      while (worker.hasBudget()) {
        String path = place.file(worker.index, worker.anyFile());
        worker.measure(
            buffer.length,
            () -> {
              try (BenchFiles.Input in = files.open(path)) {
                in.readFully(buffer, buffer.length);
              }
            });
        if (place.settings().verify()) {
          worker.pattern.verify(path, 0, buffer, buffer.length);
        }
      }
    }
  }

  record Flush(Place place, boolean durable) implements Load {
    @Override
    public void reset() throws IOException {
      place.clear();
    }

    @Override
    public void run(Worker worker) throws IOException {
      String path = place.file(worker.index, 0);
      long id = Pattern.idOf(path);
      int length = worker.buffer.length;
      long offset = 0;
      try (BenchFiles.Output out = place.files(worker.index).create(path)) {
        while (worker.hasBudget()) {
          byte[] record = worker.pattern.at(id, offset, length);
          worker.measure(length, () -> write(out, record, length));
          offset += length;
        }
      }
      place.wrote(path, offset);
      if (place.settings().verify() && place.files().lengthBytes(path) != offset) {
        throw new IOException(
            path + " has " + place.files().lengthBytes(path) + " bytes, written were " + offset);
      }
    }

    private void write(BenchFiles.Output out, byte[] record, int length) throws IOException {
      out.write(record, 0, length);
      if (durable) {
        out.sync();
      } else {
        out.flush();
      }
    }
  }

  record StableAppend(Place place) implements Load {
    @Override
    public void reset() throws IOException {
      place.clear();
      for (int thread = 0; thread < place.settings().threads(); thread++) {
        place.files().create(place.file(thread, 0)).close();
      }
    }

    @Override
    public void run(Worker worker) throws IOException {
      String path = place.file(worker.index, 0);
      long id = Pattern.idOf(path);
      int length = worker.buffer.length;
      long written = 0;
      try (BenchFiles.Update file = place.files(worker.index).updateStable(path)) {
        while (worker.hasBudget()) {
          long offset = written;
          byte[] bytes = worker.pattern.at(id, offset, length);
          worker.measure(length, () -> file.write(offset, bytes, length));
          written += length;
        }
      }
      place.wrote(path, written);
      if (place.settings().verify() && place.files().lengthBytes(path) != written) {
        throw new IOException(path + " is not " + written + " bytes long after appending");
      }
    }
  }

  record Append(Place place) implements Load {
    @Override
    public void reset() throws IOException {
      place.clear();
      for (int thread = 0; thread < place.settings().threads(); thread++) {
        place.files().create(place.file(thread, 0)).close();
      }
    }

    @Override
    public void run(Worker worker) throws IOException {
      BenchFiles files = place.files(worker.index);
      String path = place.file(worker.index, 0);
      long id = Pattern.idOf(path);
      int length = worker.buffer.length;
      long written = 0;
      while (worker.hasBudget()) {
        byte[] bytes = worker.pattern.at(id, written, length);
        worker.measure(
            length,
            () -> {
              try (BenchFiles.Output out = files.append(path)) {
                out.write(bytes, 0, length);
              }
            });
        written += length;
      }
      place.wrote(path, written);
      if (place.settings().verify() && files.lengthBytes(path) != written) {
        throw new IOException(path + " is not " + written + " bytes long after appending");
      }
    }
  }
}
