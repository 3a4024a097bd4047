package org.weft.bench.cold;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * One of the systems that take turns.
 *
 * @param label its name in tables
 * @param root URI of a directory in which its commands work
 * @param program what its clients are
 * @param start a file of arguments for their JVMs, or Weft's launcher
 * @param restart a program that starts its daemons anew; empty: they are not
 * @param before words of a command that starts its clients; empty: nothing does
 */
record ColdSystem(
    String label, URI root, Program program, String start, String restart, List<String> before) {
  /** What a client is. */
  enum Program {
    /** Hadoop's shell, and loads through its FileSystem. */
    HADOOP,
    /** The commands of {@code weft fs}. */
    WEFT,
    /** A Spark job in one JVM. */
    SPARK
  }

  private static final int FIELDS = 6;

  /** What the shell's options say is what {@code weft fs} does in any case. */
  private static final Set<String> NEEDLESS = Set.of("-f", "-skipTrash");

  /** From a file with the fields on each line, parted by tabs; any but the first four may lack. */
  static List<ColdSystem> read(Path file) throws IOException {
    List<ColdSystem> systems = new ArrayList<>();
    for (String line : Files.readAllLines(file)) {
      if (line.isBlank()) {
        continue;
      }
      List<String> fields = new ArrayList<>(List.of(line.split("\t", -1)));
      while (fields.size() < FIELDS) {
        fields.add("");
      }
      if (fields.size() > FIELDS || fields.get(3).isEmpty()) {
        throw new IllegalArgumentException(
            file + ": expected LABEL, URI, PROGRAM and START parted by tabs, got '" + line + "'");
      }
      systems.add(
          new ColdSystem(
              fields.get(0),
              URI.create(fields.get(1)),
              Program.valueOf(fields.get(2).toUpperCase(Locale.ROOT)),
              fields.get(3),
              fields.get(4),
              fields.get(5).isEmpty() ? List.of() : List.of(fields.get(5).split(" ", -1))));
    }
    return systems;
  }

  boolean runs(ColdCase measured) {
    return switch (program) {
      case HADOOP -> !measured.kind().equals(ColdCase.SPARK);
      case WEFT -> measured.kind().equals(ColdCase.SHELL);
      case SPARK -> measured.kind().equals(ColdCase.SPARK);
    };
  }

  /** What stands for the directory in a command. */
  String place() {
    return program == Program.WEFT ? root.getPath() : root.toString();
  }

  /**
   * Sets up a new client for a command.
   *
   * @param command its kind, then its words
   * @param firstByte where it may say when its first byte, or operation, was there
   * @param counters where its JVM leaves its counters
   */
  ProcessBuilder client(List<String> command, Path firstByte, Path counters) {
    List<String> words = command.subList(1, command.size());
    List<String> line = new ArrayList<>(before);
    ProcessBuilder builder = new ProcessBuilder(line);
    if (program == Program.WEFT) {
      line.add(start);
      line.addAll(inWeft(words));
      line.addAll(List.of("--cluster", root.getAuthority()));
      builder
          .environment()
          .merge(
              "WEFT_JAVA_OPTS",
              String.join(" ", JvmCounters.kept(counters)),
              (own, ours) -> own + " " + ours);
      return builder;
    }
    line.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    line.add("@" + start);
    line.addAll(JvmCounters.kept(counters));
    switch (command.get(0)) {
      case ColdCase.SHELL -> line.addAll(List.of(ColdShell.class.getName(), firstByte.toString()));
      case ColdCase.LOAD -> line.addAll(List.of(ColdLoad.class.getName(), firstByte.toString()));
      default -> line.add("org.weft.engines.SparkStage");
    }
    line.addAll(words);
    return builder;
  }

  /** A command of Hadoop's shell as one of {@code weft fs}. */
  static List<String> inWeft(List<String> words) {
    List<String> weft = new ArrayList<>(List.of("fs", words.get(0).substring(1)));
    words.stream().skip(1).filter(word -> !NEEDLESS.contains(word)).forEach(weft::add);
    return weft;
  }
}
