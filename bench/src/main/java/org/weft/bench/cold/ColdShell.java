package org.weft.bench.cold;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FsShell;
import org.apache.hadoop.util.ToolRunner;

/**
 * One command of Hadoop's shell, as {@code hadoop fs} runs it, and what this JVM spent on it. It
 * loads as little of its own as it can, and asks for figures only when the command is done.
 */
public final class ColdShell {
  private static final int CLOCK_TICKS = 100;
  private static final int FIELDS_BEFORE_STATE = 2;
  private static final int USER_TICKS = 13;
  private static final int SYSTEM_TICKS = 14;
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
   * @param arguments a file for the figures, and the command
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
    Files.writeString(Path.of(arguments[0]), figures(exit, watched.firstByteMillis));
    System.exit(exit);
  }

  private static String figures(int exit, long firstByteMillis) throws IOException {
    long endMillis = System.currentTimeMillis();
    long cpuMillis = cpuMillis();
    long startMillis = ManagementFactory.getRuntimeMXBean().getStartTime();
    return "{\"exit\":%d,\"wallMillis\":%d,\"cpuMillis\":%d,\"firstByteMillis\":%d,\"classes\":%d,\"jitMillis\":%d}%n"
        .formatted(
            exit,
            endMillis - startMillis,
            cpuMillis,
            firstByteMillis == 0 ? 0 : firstByteMillis - startMillis,
            ManagementFactory.getClassLoadingMXBean().getTotalLoadedClassCount(),
            ManagementFactory.getCompilationMXBean().getTotalCompilationTime());
  }

  /** Of the whole process, from its birth on. */
  private static long cpuMillis() throws IOException {
    String stat = Files.readString(Path.of("/proc/self/stat"));
    // The second field is a name in brackets, which may have blanks.
    String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
    long ticks =
        Long.parseLong(fields[USER_TICKS - FIELDS_BEFORE_STATE])
            + Long.parseLong(fields[SYSTEM_TICKS - FIELDS_BEFORE_STATE]);
    return ticks * (1_000 / CLOCK_TICKS);
  }
}
