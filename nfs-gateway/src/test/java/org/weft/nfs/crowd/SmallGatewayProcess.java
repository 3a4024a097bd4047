package org.weft.nfs.crowd;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * A {@link SmallGateway} in a JVM of 80 MiB of heap and 64 MiB outside it. The JVM ends when either
 * is used up. It sees buffers that were forgotten, and says so.
 */
final class SmallGatewayProcess implements AutoCloseable {
  private static final int DEADLINE_SECONDS = 120;

  /** What it holds after a collection. */
  record Held(long heapBytes, long directBytes, long usedBytes, int connections) {
    long bytes() {
      return heapBytes + directBytes;
    }
  }

  private final Path errors;
  private final Process process;
  private final BufferedReader out;
  private final Writer in;
  private final List<String> logged = new ArrayList<>();
  private final InetSocketAddress address;

  /**
   * Returns when it serves.
   *
   * @param errors a file to be made, for what it says of errors
   */
  SmallGatewayProcess(Path errors) throws Exception {
    this.errors = errors;
    process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx80m",
                "-XX:MaxDirectMemorySize=64m",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-XX:+ExitOnOutOfMemoryError",
                "-Dio.netty.leakDetection.level=paranoid",
                // Where a buffer was used would be noted each time, and takes most of the time.
                "-Dio.netty.leakDetection.targetRecords=0",
                "-Dlogback.configurationFile=org/weft/nfs/quiet-logback.xml",
                "-Dweft.test.log=ERROR",
                "-cp",
                System.getProperty("java.class.path"),
                SmallGateway.class.getName())
            .redirectError(errors.toFile())
            .start();
    out =
        new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
    in = process.outputWriter(StandardCharsets.UTF_8);
    address =
        new InetSocketAddress(InetAddress.getLoopbackAddress(), Integer.parseInt(answer("READY ")));
  }

  InetSocketAddress address() {
    return address;
  }

  /** After its collector has run. */
  Held held() throws Exception {
    return ask("held");
  }

  /** The same once one connection is left and holds nothing, or after a second. */
  Held settled() throws Exception {
    return ask("settled");
  }

  private Held ask(String question) throws Exception {
    in.write(question + "\n");
    in.flush();
    String[] numbers = answer("HELD ").split(" ", -1);
    return new Held(
        Long.parseLong(numbers[0]),
        Long.parseLong(numbers[1]),
        Long.parseLong(numbers[2]),
        Integer.parseInt(numbers[3]));
  }

  /** What it has logged of errors, up to its last answer. */
  List<String> logged() {
    return logged;
  }

  /** What it has said on its error output. */
  String errors() throws IOException {
    return Files.readString(errors);
  }

  private String answer(String prefix) throws Exception {
    for (String line = line(); line != null; line = line()) {
      if (line.startsWith(prefix)) {
        return line.substring(prefix.length());
      }
      logged.add(line);
    }
    throw new AssertionError("the gateway has ended; it said:\n" + logged + "\n" + errors());
  }

  private String line() throws Exception {
    return CompletableFuture.supplyAsync(
            () -> {
              try {
                return out.readLine();
              } catch (IOException e) {
                throw new UncheckedIOException(e);
              }
            })
        .get(DEADLINE_SECONDS, TimeUnit.SECONDS);
  }

  /** It ends by itself when its input ends. */
  @Override
  public void close() throws Exception {
    try {
      in.close();
      if (!process.waitFor(DEADLINE_SECONDS, TimeUnit.SECONDS)) {
        throw new AssertionError("the gateway did not stop");
      }
    } finally {
      process.destroyForcibly();
    }
  }
}
