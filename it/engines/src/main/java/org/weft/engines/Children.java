package org.weft.engines;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** Processes that a job starts: others of its kind, or programs of Hadoop. */
final class Children implements AutoCloseable {
  private static final long MAX_MINUTES = 15;

  private final Run run;
  private final List<Child> all = new CopyOnWriteArrayList<>();

  Children(Run run) {
    this.run = run;
    // They end with this process also where it is told to stop.
    Runtime.getRuntime().addShutdownHook(new Thread(this::close, "children"));
  }

  /** One process and what it prints. */
  record Child(String name, Process process, Path output, Path errors) {
    /**
     * Waits for its end.
     *
     * @return what it printed
     * @throws IOException if it ends with another code than 0; with the end of what it said
     */
    String await() throws IOException, InterruptedException {
      boolean ended = process.waitFor(MAX_MINUTES, TimeUnit.MINUTES);
      if (!ended || process.exitValue() != 0) {
        List<String> said = new ArrayList<>(Files.readAllLines(output));
        said.addAll(Files.readAllLines(errors));
        throw new IOException(
            name
                + (ended ? " ended with " + process.exitValue() : " does not end")
                + "; it said:\n"
                + String.join("\n", said.subList(Math.max(0, said.size() - 60), said.size())));
      }
      return Files.readString(output);
    }

    /**
     * Waits for something that it does while it runs.
     *
     * @param otherwise what is wrong if it does not come to that
     * @throws AssertionError if it ends before, or if the time of {@link Run#await} is over
     */
    void until(Supplier<String> otherwise, Callable<Boolean> holds) throws Exception {
      Run.await(
          otherwise,
          () -> {
            // Before it looks: what it did at its end counts.
            boolean isAlive = process.isAlive();
            boolean isSo = holds.call();
            if (!isSo && !isAlive) {
              throw new AssertionError(name + " ended: " + await());
            }
            return isSo;
          });
    }

    /** SIGKILL, also to what it started: containers of YARN would look for their cluster. */
    void kill() {
      List<ProcessHandle> started = process.descendants().toList();
      process.destroyForcibly().onExit().join();
      started.forEach(ProcessHandle::destroyForcibly);
    }
  }

  /** A process of {@link Jobs}, like this one. */
  Child job(String name, String... arguments) throws IOException {
    List<String> words = new ArrayList<>(List.of(Jobs.class.getName(), name));
    words.addAll(run.words());
    words.addAll(List.of(arguments));
    return java(name, System.getProperty("java.class.path"), words);
  }

  /**
   * A Java program with this process's options, its own class path, and the scratch directory as
   * its own.
   */
  Child java(String name, String classPath, List<String> words) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(ManagementFactory.getRuntimeMXBean().getInputArguments());
    command.addAll(List.of("-cp", classPath));
    command.addAll(words);
    return start(name, new ProcessBuilder(command));
  }

  /**
   * Runs a command of the launcher on the cluster to its end, as the user that runs the job.
   *
   * @return what it printed
   */
  String weft(List<String> arguments) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(List.of(run.home().resolve("weft").toString()));
    command.addAll(arguments);
    ProcessBuilder builder = new ProcessBuilder(command);
    builder.environment().put("WEFT_CLUSTER", run.contacts());
    return start("weft", builder).await();
  }

  /** Any program. */
  Child start(String name, ProcessBuilder builder) throws IOException {
    String number = String.format("%02d-%s", all.size() + 1, name.replaceAll("[^a-z0-9-]", "_"));
    Path output = run.scratch().resolve(number + ".out");
    Path errors = run.scratch().resolve(number + ".err");
    Process process =
        builder
            .directory(run.scratch().toFile())
            .redirectOutput(output.toFile())
            .redirectError(errors.toFile())
            .start();
    Child child = new Child(name, process, output, errors);
    all.add(child);
    return child;
  }

  /** Waits for all. */
  void awaitAll() throws IOException, InterruptedException {
    for (Child each : all) {
      each.await();
    }
  }

  /** Ends those that still run. */
  @Override
  public void close() {
    all.forEach(Child::kill);
  }
}
