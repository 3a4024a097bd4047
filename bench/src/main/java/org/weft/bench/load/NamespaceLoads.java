package org.weft.bench.load;

import java.io.IOException;
import java.util.concurrent.atomic.AtomicLongArray;
import org.weft.bench.load.Workload.Load;
import org.weft.bench.load.Workload.Place;

/** Loads on names and attributes. */
final class NamespaceLoads {
  private NamespaceLoads() {}

  /** Makes the empty files of every thread. */
  static void populate(Place place, long bytes) throws IOException {
    place.clear();
    Threads.run(
        place.settings().threads(),
        thread -> {
          for (int number = 0; number < place.settings().files(); number++) {
            place.enter(thread, number);
            place.writeFile(thread, place.file(thread, number), bytes);
          }
        });
  }

  record Create(Place place) implements Load {
    @Override
    public void reset() throws IOException {
      place.clear();
    }

    @Override
    public void run(Worker worker) throws IOException {
      BenchFiles files = place.files(worker.index);
      for (long number = 0; worker.hasBudget(); number++) {
        String path = place.file(worker.index, number);
        place.enter(worker.index, number);
        worker.measure(0, () -> files.create(path).close());
        place.wrote(path, 0);
      }
    }
  }

  record Stat(Place place) implements Load {
    @Override
    public void prepare() throws IOException {
      populate(place, 0);
    }

    @Override
    public void run(Worker worker) throws IOException {
      BenchFiles files = place.files(worker.index);
      while (worker.hasBudget()) {
        String path = place.file(worker.index, worker.anyFile());
        worker.measure(0, () -> files.stat(path));
      }
    }
  }

  record Open(Place place) implements Load {
    @Override
    public void prepare() throws IOException {
      populate(place, 0);
    }

    @Override
    public void run(Worker worker) throws IOException {
      BenchFiles files = place.files(worker.index);
      while (worker.hasBudget()) {
        String path = place.file(worker.index, worker.anyFile());
        worker.measure(0, () -> files.touch(path));
      }
    }
  }

  record ListAll(Place place) implements Load {
    @Override
    public void prepare() throws IOException {
      if (place.settings().perDirectory() > 0) {
        throw new IllegalArgumentException("list has all files of a thread in one directory");
      }
      populate(place, 0);
    }

    @Override
    public void run(Worker worker) throws IOException {
      int expected =
          place.settings().files()
              * (place.settings().sharedDirectory() ? place.settings().threads() : 1);
      while (worker.hasBudget()) {
        worker.measure(0, () -> requireAll(worker.index, expected));
      }
    }

    private void requireAll(int thread, int expected) throws IOException {
      String directory = place.directory(thread);
      int found = place.files(thread).list(directory);
      if (found != expected) {
        throw new IOException(directory + " lists " + found + " entries, not " + expected);
      }
    }
  }

  /** Each repetition goes on where the one before has stopped. */
  record Rename(Place place, AtomicLongArray done) implements Load {
    Rename(Place place) {
      this(place, new AtomicLongArray(place.settings().threads()));
    }

    @Override
    public void prepare() throws IOException {
      populate(place, 0);
    }

    @Override
    public void run(Worker worker) throws IOException {
      BenchFiles files = place.files(worker.index);
      int count = place.settings().files();
      while (worker.hasBudget()) {
        long number = done.get(worker.index);
        String here = place.file(worker.index, number % count);
        boolean back = number / count % 2 == 1;
        String source = back ? here + "-renamed" : here;
        String target = back ? here : here + "-renamed";
        worker.measure(0, () -> files.rename(source, target));
        done.set(worker.index, number + 1);
        place.removed(source);
        place.wrote(target, 0);
      }
    }
  }

  record Delete(Place place) implements Load {
    @Override
    public void reset() throws IOException {
      populate(place, 0);
    }

    @Override
    public void run(Worker worker) throws IOException {
      BenchFiles files = place.files(worker.index);
      for (int number = 0; number < place.settings().files() && worker.hasBudget(); number++) {
        String path = place.file(worker.index, number);
        worker.measure(0, () -> files.delete(path));
        place.removed(path);
      }
    }
  }
}
