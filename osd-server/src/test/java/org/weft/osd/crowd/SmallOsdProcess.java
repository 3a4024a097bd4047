package org.weft.osd.crowd;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.weft.protocol.rpc.Endpoint;

/** A running {@link SmallOsd} with little memory, seen from outside. Not thread-safe. */
final class SmallOsdProcess implements AutoCloseable {
  private static final int EXIT_SECONDS = 60;

  /**
   * What it holds after a collection.
   *
   * @param directBytes of the transport's buffers, outside the heap
   */
  record Held(long heapBytes, long directBytes) {
    long bytes() {
      return heapBytes + directBytes;
    }
  }

  private final Process process;
  private final BufferedReader out;
  private final Writer in;
  private final Path errors;
  private final List<String> said = new ArrayList<>();

  private SmallOsdProcess(Process process, Path errors) {
    this.process = process;
    this.out =
        new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
    this.in = process.outputWriter(StandardCharsets.UTF_8);
    this.errors = errors;
  }

  /** Does not wait for anything. */
  static SmallOsdProcess start(
      Path directory, Endpoint sysmgr, byte[] joinToken, int heapMib, int directMib)
      throws IOException {
    Path scratch = Files.createDirectories(directory.resolve("scratch"));
    Path errors = scratch.resolve("errors");
    List<String> command =
        List.of(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-Xmx" + heapMib + "m",
            "-XX:MaxDirectMemorySize=" + directMib + "m",
            "-XX:+UseSerialGC",
            "-XX:TieredStopAtLevel=1",
            "-XX:+ExitOnOutOfMemoryError",
            "-Djava.io.tmpdir=" + scratch,
            "-cp",
            System.getProperty("java.class.path"),
            SmallOsd.class.getName(),
            directory.resolve("osd").toString(),
            sysmgr.toString(),
            HexFormat.of().formatHex(joinToken));
    ProcessBuilder builder = new ProcessBuilder(command).redirectError(errors.toFile());
    builder.environment().put("ROCKSDB_SHAREDLIB_DIR", scratch.toString());
    return new SmallOsdProcess(builder.start(), errors);
  }

  /** Waits until it serves. */
  Endpoint awaitReady() throws IOException {
    return Endpoint.parse(answer("READY "));
  }

  /** Has it collect its garbage, and say what is left. */
  Held held() throws IOException {
    in.write("held\n");
    in.flush();
    String[] numbers = answer("HELD ").split(" ");
    return new Held(Long.parseLong(numbers[0]), Long.parseLong(numbers[1]));
  }

  private String answer(String prefix) throws IOException {
    for (String line = out.readLine(); line != null; line = out.readLine()) {
      if (line.startsWith(prefix)) {
        return line.substring(prefix.length());
      }
      said.add(line);
    }
    throw new AssertionError("the OSD has ended; it said:\n" + log());
  }

  /** Its open sockets. */
  long sockets() throws IOException {
    long sockets = 0;
    for (Path descriptor : entries("fd")) {
      sockets += target(descriptor).startsWith("socket:") ? 1 : 0;
    }
    return sockets;
  }

  long threads() throws IOException {
    return entries("task").size();
  }

  private List<Path> entries(String kind) throws IOException {
    try (Stream<Path> all = Files.list(Path.of("/proc", "" + process.pid(), kind))) {
      return all.toList();
    }
  }

  /** What a descriptor stands for; nothing if it was closed meanwhile. */
  private static String target(Path descriptor) throws IOException {
    try {
      return Files.readSymbolicLink(descriptor).toString();
    } catch (NoSuchFileException e) {
      return "";
    }
  }

  /** What it logged until it was last asked for something. */
  String log() throws IOException {
    return String.join("\n", said) + Files.readString(errors);
  }

  /** Lets it stop cleanly, and waits for the end. */
  @Override
  public void close() throws IOException, InterruptedException {
    in.close();
    if (!process.waitFor(EXIT_SECONDS, TimeUnit.SECONDS)) {
      process.destroyForcibly();
      throw new AssertionError("the OSD did not stop");
    }
  }
}
