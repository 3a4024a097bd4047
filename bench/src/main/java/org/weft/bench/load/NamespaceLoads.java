package org.weft.bench.load;

import java.io.IOException;
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
            place.writeFile(place.file(thread, number), bytes);
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
      for (long number = 0; worker.hasBudget(); number++) {
        String path = place.file(worker.index, number);
        worker.measure(0, () -> place.files().create(path).close());
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
      while (worker.hasBudget()) {
        String path = place.file(worker.index, worker.random.nextInt(place.settings().files()));
        worker.measure(0, () -> place.files().stat(path));
      }
    }
  }

  record ListAll(Place place) implements Load {
    @Override
    public void prepare() throws IOException {
      populate(place, 0);
    }

    @Override
    public void run(Worker worker) throws IOException {
      int expected =
          place.settings().files()
              * (place.settings().sharedDirectory() ? place.settings().threads() : 1);
      while (worker.hasBudget()) {
        worker.measure(0, () -> requireAll(place.directory(worker.index), expected));
      }
    }

    private void requireAll(String directory, int expected) throws IOException {
      int found = place.files().list(directory);
      if (found != expected) {
        throw new IOException(directory + " lists " + found + " entries, not " + expected);
      }
    }
  }

  record Rename(Place place) implements Load {
    @Override
    public void reset() throws IOException {
      populate(place, 0);
    }

    @Override
    public void run(Worker worker) throws IOException {
      int files = place.settings().files();
      for (long number = 0; worker.hasBudget(); number++) {
        String here = place.file(worker.index, number % files);
        boolean back = number / files % 2 == 1;
        String source = back ? here + "-renamed" : here;
        String target = back ? here : here + "-renamed";
        worker.measure(0, () -> place.files().rename(source, target));
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
      for (int number = 0; number < place.settings().files() && worker.hasBudget(); number++) {
        String path = place.file(worker.index, number);
        worker.measure(0, () -> place.files().delete(path));
      }
    }
  }
}
