package org.weft.osd.harness;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Runs a main class beside a small disk of its own: a file system in memory, mounted where only the
 * child and its children see it.
 */
public final class SmallDisk {
  private static final long PATIENCE_SECONDS = 120;

  private SmallDisk() {}

  /** False where this user may mount nothing, or the system is another. */
  public static boolean isPossible(Path folder) throws Exception {
    return run(folder, 1, List.of("true")).isEmpty();
  }

  /** What the class wrote; its first argument is the folder on the disk. */
  public static String run(Path folder, int mebibytes, Class<?> main) throws Exception {
    return run(
        folder,
        mebibytes,
        List.of(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-Xmx256m",
            "-XX:+UseSerialGC",
            "-XX:TieredStopAtLevel=1",
            "-cp",
            System.getProperty("java.class.path"),
            main.getName(),
            folder.toString()));
  }

  private static String run(Path folder, int mebibytes, List<String> command) throws Exception {
    List<String> all =
        new ArrayList<>(
            List.of(
                "unshare",
                "--user",
                "--map-root-user",
                "--mount",
                "sh",
                "-c",
                "mount -t tmpfs -o size=" + mebibytes + "m tmpfs \"$0\" && exec \"$@\"",
                folder.toString()));
    all.addAll(command);
    Process child;
    try {
      child = new ProcessBuilder(all).redirectErrorStream(true).start();
    } catch (IOException e) {
      return e.toString();
    }
    String output = new String(child.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    if (!child.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
      child.destroyForcibly();
      return output + "\nit did not end";
    }
    return child.exitValue() == 0 || !output.isEmpty() ? output : "exit code " + child.exitValue();
  }

  /** Makes a file of zeros as large as it takes to leave so much; one that is there is replaced. */
  public static void leave(Path folder, long bytes) throws IOException {
    Path filler = folder.resolve("filler");
    Files.deleteIfExists(filler);
    long excess = Files.getFileStore(folder).getUsableSpace() - bytes;
    byte[] zeros = new byte[4096];
    try (OutputStream out = Files.newOutputStream(filler)) {
      for (long written = 0; written < excess; written += zeros.length) {
        out.write(zeros);
      }
    } catch (IOException e) {
      if (bytes > 0) {
        throw e;
      }
    }
  }
}
