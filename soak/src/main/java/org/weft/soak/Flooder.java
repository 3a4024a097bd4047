package org.weft.soak;

import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.weft.client.CreateOptions;
import org.weft.client.WeftFiles;
import org.weft.client.WeftPath;

/**
 * The thread of a client that, once told so, writes a whole file again and again. Its window is so
 * small that most of each write is still unsent. A frozen process therefore wakes up in the middle
 * of a write. It goes on with this write and knows nothing of what has happened since.
 */
final class Flooder implements Runnable {
  static final int FILE_BYTES = 3 << 20;

  /** The least that there is: four stripes of the default layout. */
  static final int WINDOW_BYTES = 1 << 20;

  private static final String PREFIX = "flooded-";
  private static final int MAX_FILES = 20;
  private static final boolean END = false;

  private final WeftFiles files;
  private final String directory;
  private final Work work;
  private final BlockingQueue<Boolean> orders = new LinkedBlockingQueue<>();

  /**
   * @param files of a client whose window is small
   */
  Flooder(WeftFiles files, String directory, Work work) {
    this.files = files;
    this.directory = directory;
    this.work = work;
  }

  static boolean isFlooded(String path) {
    return path.contains("/" + PREFIX);
  }

  /** Thread-safe. */
  void begin() {
    orders.add(!END);
  }

  /** Thread-safe. */
  void end() {
    orders.add(END);
  }

  @Override
  public void run() {
    try {
      while (orders.take() != END) {
        int tries = 0;
        while (!flood() && ++tries < MAX_FILES && orders.isEmpty()) {}
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Until a write fails; false if there was none. */
  private boolean flood() {
    String path = directory + "/" + PREFIX + work.upcoming();
    SoakFile[] made = new SoakFile[1];
    boolean done =
        work.perform(
            work.next(SoakOp.Kind.UPDATED, path),
            () -> {
              files.create(WeftPath.of(path), CreateOptions.newFile()).close();
              made[0] =
                  new SoakFile(
                      files.asynchronous(),
                      work,
                      path,
                      SoakDeadline.await(files.asynchronous().openForUpdate(WeftPath.of(path))));
              return 0L;
            });
    if (!done || !made[0].write(0, FILE_BYTES)) {
      return false;
    }
    while (orders.isEmpty()) {
      if (!made[0].write(0, FILE_BYTES)) {
        return true;
      }
    }
    made[0].close();
    return true;
  }
}
