package org.weft.bench.cold;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FsShell;
import org.apache.hadoop.util.ToolRunner;

/**
 * One command of Hadoop's shell, as {@code hadoop fs} runs it. It loads as little of its own as it
 * can.
 */
public final class ColdShell {
  private static final int BUFFER_BYTES = 8 << 10;

  private ColdShell() {}

  /** Notes when the first byte was printed. */
  private static final class Watched extends FilterOutputStream {
    private long firstByteMillis;

    Watched(OutputStream out) {
      super(out);
    }

    private void seen() {
      if (firstByteMillis == 0) {
        firstByteMillis = System.currentTimeMillis();
      }
    }

    @Override
    public void write(int value) throws IOException {
      seen();
      out.write(value);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
      seen();
      out.write(bytes, offset, length);
    }
  }

  /**
   * @param arguments a file for the time of the first byte, in milliseconds of the epoch or 0, and
   *     the command
   */
  public static void main(String[] arguments) throws Exception {
    Watched watched = new Watched(new FileOutputStream(FileDescriptor.out));
    // As the JVM makes its own.
    System.setOut(
        new PrintStream(
            new java.io.BufferedOutputStream(watched, BUFFER_BYTES),
            false,
            StandardCharsets.UTF_8));
    FsShell shell = new FsShell();
    Configuration configuration = new Configuration();
    configuration.setQuietMode(false);
    shell.setConf(configuration);
    int exit;
    try {
      exit = ToolRunner.run(shell, Arrays.copyOfRange(arguments, 1, arguments.length));
    } finally {
      shell.close();
      System.out.flush();
    }
    Files.writeString(Path.of(arguments[0]), Long.toString(watched.firstByteMillis));
    System.exit(exit);
  }
}
