package org.weft.cli.transfer;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import org.weft.cli.output.Progress;

/** Moves bytes from one stream to another and says how many. */
final class Pump {
  static final int BUFFER_BYTES = 1 << 20;

  private Pump() {}

  /** Everything; both streams stay open. */
  static void run(InputStream source, OutputStream target, Progress progress) throws IOException {
    byte[] buffer = new byte[BUFFER_BYTES];
    // Pipes give little at a time; it is gathered.
    for (int count = source.readNBytes(buffer, 0, buffer.length);
        count > 0;
        count = source.readNBytes(buffer, 0, buffer.length)) {
      target.write(buffer, 0, count);
      progress.addBytes(count);
    }
  }
}
