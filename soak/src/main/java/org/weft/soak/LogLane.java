package org.weft.soak;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.function.BooleanSupplier;
import org.weft.client.CreateOptions;
import org.weft.client.LayoutSpec;
import org.weft.client.WeftFiles;
import org.weft.client.WeftOutputStream;
import org.weft.client.WeftPath;

/**
 * One thread of a client that works in a directory of its own. It changes files in place, lets
 * files grow, renames and removes whole files, and reads files of other clients. A file of which
 * something has failed is left as it is.
 */
final class LogLane implements Runnable {
  private static final int HELD_FILES = 3;
  private static final int GROWING_FILES = 2;
  private static final int CHANGES_OF_A_FILE = 60;
  private static final int CLOSED_FILES = 3;
  private static final int NAMES = 8;
  private static final int[] STREAM_BYTES = {0, 1, 4_096, 65_535, 65_537, 300_000, 1_200_000};
  private static final List<Optional<LayoutSpec>> LAYOUTS =
      List.of(
          Optional.empty(),
          Optional.of(LayoutSpec.of(3, 1, 4096)),
          Optional.of(LayoutSpec.of(3, 2, 4096)),
          Optional.of(new LayoutSpec(2, 1, 4096, 3, 2)));

  private final WeftFiles files;
  private final String directory;
  private final Random random;
  private final Work work;
  private final PeerReader peers;
  private final BooleanSupplier stopping;
  private final List<SoakFile> held = new ArrayList<>();
  private final List<GrowingFile> growing = new ArrayList<>();
  private final Deque<String> closed = new ArrayDeque<>();

  LogLane(
      WeftFiles files,
      String directory,
      Work work,
      PeerReader peers,
      long seed,
      BooleanSupplier stopping) {
    this.files = files;
    this.directory = directory;
    this.work = work;
    this.peers = peers;
    this.random = new Random(seed);
    this.stopping = stopping;
  }

  @Override
  public void run() {
    while (!stopping.getAsBoolean()) {
      step();
    }
    held.forEach(SoakFile::close);
    growing.forEach(GrowingFile::close);
  }

  private void step() {
    int choice = random.nextInt(100);
    if (choice < 45) {
      change();
    } else if (choice < 60) {
      grow();
    } else if (choice < 72) {
      stream();
    } else if (choice < 82) {
      rename();
    } else if (choice < 86) {
      unlink();
    } else {
      read();
    }
  }

  private String fresh(String kind) {
    return directory + "/" + kind + "-" + work.upcoming();
  }

  private void change() {
    if (held.size() < HELD_FILES) {
      makeHeld();
      return;
    }
    SoakFile file = held.get(random.nextInt(held.size()));
    if (file.operations() > CHANGES_OF_A_FILE) {
      held.remove(file);
      if (file.close()) {
        wasClosed(file.path());
      }
    } else if (!file.change(random, true)) {
      held.remove(file);
    }
  }

  private void makeHeld() {
    int layout = random.nextInt(LAYOUTS.size());
    String path = fresh("changed");
    CreateOptions options =
        LAYOUTS
            .get(layout)
            .map(CreateOptions.newFile()::withLayout)
            .orElse(CreateOptions.newFile());
    work.perform(
        work.next(SoakOp.Kind.UPDATED, path, "layout-" + layout, 0, 0),
        () -> {
          files.create(WeftPath.of(path), options).close();
          held.add(
              new SoakFile(
                  files.asynchronous(),
                  work,
                  path,
                  SoakDeadline.await(files.asynchronous().openForUpdate(WeftPath.of(path)))));
          return 0L;
        });
  }

  private void grow() {
    if (growing.size() < GROWING_FILES) {
      String path = fresh("grown");
      work.perform(
          work.next(SoakOp.Kind.GROWING, path),
          () -> {
            WeftOutputStream output = files.create(WeftPath.of(path), CreateOptions.newFile());
            growing.add(new GrowingFile(files, work, path, output));
            return 0L;
          });
      return;
    }
    GrowingFile file = growing.get(random.nextInt(growing.size()));
    if (file.isLong()) {
      growing.remove(file);
      if (file.close()) {
        wasClosed(file.path());
      }
    } else if (!file.step(random)) {
      growing.remove(file);
    }
  }

  private void wasClosed(String path) {
    closed.add(path);
    if (closed.size() > CLOSED_FILES) {
      remove(closed.remove());
    }
  }

  private void remove(String path) {
    work.perform(
        work.next(SoakOp.Kind.UNLINK, path),
        () -> {
          files.unlink(WeftPath.of(path));
          return 0L;
        });
  }

  private void stream() {
    SoakOp operation =
        work.next(
            SoakOp.Kind.STREAM,
            fresh("stream"),
            SoakOp.NOTHING,
            0,
            STREAM_BYTES[random.nextInt(STREAM_BYTES.length)]);
    work.perform(
        operation,
        () -> {
          WeftOutputStream output =
              files.create(WeftPath.of(operation.path()), CreateOptions.newFile());
          try {
            output.write(operation.bytes());
            output.close();
          } catch (IOException e) {
            output.abort();
            throw e;
          }
          return 0L;
        });
  }

  private void rename() {
    String source = someName();
    String target = directory + "/named-" + random.nextInt(NAMES);
    LoggedName there = work.ledger().names().get(target);
    boolean certain = there == null || there.possible().size() == 1;
    if (source == null || source.equals(target) || !certain) {
      stream();
      return;
    }
    work.perform(
        work.next(SoakOp.Kind.RENAME, source, target, 0, 0),
        () -> {
          files.rename(WeftPath.of(source), WeftPath.of(target), true);
          return 0L;
        });
  }

  private void unlink() {
    String path = someName();
    if (path == null) {
      stream();
    } else {
      remove(path);
    }
  }

  /** A name that surely leads to a whole file; null if there is none. */
  private String someName() {
    List<String> names =
        work.ledger().names().entrySet().stream()
            .filter(name -> name.getValue().certain() != LoggedName.NONE)
            .map(Map.Entry::getKey)
            .toList();
    return names.isEmpty() ? null : names.get(random.nextInt(names.size()));
  }

  private void read() {
    Optional<PeerReader.Target> target = peers.choose(random);
    if (target.isEmpty()) {
      stream();
      return;
    }
    work.perform(work.next(SoakOp.Kind.READ, target.get().path()), () -> peers.read(target.get()));
  }
}
