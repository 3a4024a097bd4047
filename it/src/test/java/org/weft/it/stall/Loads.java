package org.weft.it.stall;

import java.nio.ByteBuffer;
import java.util.Random;
import org.weft.client.CreateOptions;
import org.weft.client.WeftClient;
import org.weft.client.WeftInput;
import org.weft.client.WeftOutputStream;
import org.weft.client.WeftPath;

/**
 * What the clients do while something fails: one makes directories, which needs a manager; one
 * reads a file that is open, which needs OSDs alone.
 */
final class Loads implements AutoCloseable {
  private static final int FILE_BYTES = 8 << 20;
  private static final int READ_BYTES = 64 << 10;

  private final WeftInput input;
  private final Load names;
  private final Load reads;

  Loads(WeftClient client, WeftPath directory) throws Exception {
    client.files().mkdir(directory, 0755);
    WeftPath file = directory.child("file");
    try (WeftOutputStream out = client.files().create(file, CreateOptions.replacing())) {
      out.write(new byte[FILE_BYTES]);
    }
    input = client.fileSystem().open(file).get();
    names =
        new Load("names", number -> client.fileSystem().mkdir(directory.child("d" + number), 0755));
    Random random = new Random(1);
    reads =
        new Load(
            "reads",
            number ->
                input.read(
                    random.nextInt(FILE_BYTES - READ_BYTES), ByteBuffer.allocate(READ_BYTES)));
  }

  Load names() {
    return names;
  }

  /** Of 64 KiB each, anywhere in a file of 8 MiB. */
  Load reads() {
    return reads;
  }

  @Override
  public void close() throws InterruptedException {
    names.close();
    reads.close();
    input.close();
  }
}
