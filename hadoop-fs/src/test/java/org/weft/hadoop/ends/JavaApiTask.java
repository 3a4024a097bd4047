package org.weft.hadoop.ends;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Arrays;
import java.util.function.Consumer;
import org.weft.client.CreateOptions;
import org.weft.client.Weft;
import org.weft.client.WeftFiles;
import org.weft.client.WeftInputStream;
import org.weft.client.WeftOutputStream;
import org.weft.client.WeftPath;

/** Writes and reads a file by the Java API, with a client of its own. */
public final class JavaApiTask implements Consumer<String> {
  private static final int LENGTH_BYTES = 3_000_000;

  @Override
  public void accept(String cluster) {
    byte[] content = new byte[LENGTH_BYTES];
    Arrays.fill(content, (byte) 9);
    try (Weft weft =
        Weft.connect(cluster, settings -> settings.cachedEntries(1_000).clientName("loader"))) {
      WeftFiles files = weft.files();
      WeftPath file = WeftPath.of("/tmp/of-a-loader");
      try (WeftOutputStream out = files.create(file, CreateOptions.replacing())) {
        out.write(content);
        out.hflush();
      }
      try (WeftInputStream in = files.open(file)) {
        byte[] read = in.readAllBytes();
        if (!Arrays.equals(content, read)) {
          throw new IllegalStateException("other bytes than were written");
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
