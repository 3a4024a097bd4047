package org.weft.nfs.host;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.weft.protocol.seam.Scheduler;

/**
 * Asks the host's own programs, {@code getent} and {@code id}, which know all that the host is
 * configured for: files, LDAP, SSSD. A program that does not answer in time is killed.
 */
public final class HostCommands implements HostAccounts {
  /** For one question. */
  static final int LIMIT_MILLIS = 5_000;

  /** Beyond it an answer is no answer: 65,536 groups in decimal. */
  private static final int MAX_BYTES = 1 << 20;

  private static final int MAX_NAME_BYTES = 255;
  private static final int UNKNOWN_KEY = 2;
  private static final int NUMBER_FIELD = 2;
  private static final String DECIMAL = "[0-9]+";
  private static final int MAX_DIGITS = 10;
  private static final long MAX_NUMBER = 0xffff_ffffL;

  /** What a program printed, and how it ended. */
  private record Said(int exitCode, String text) {}

  private final Scheduler scheduler;
  private final String getent;
  private final String id;
  private final int limitMillis;

  public HostCommands(Scheduler scheduler) {
    this(scheduler, "getent", "id", LIMIT_MILLIS);
  }

  /**
   * With other programs.
   *
   * @param limitMillis for one question
   */
  HostCommands(Scheduler scheduler, String getent, String id, int limitMillis) {
    this.scheduler = scheduler;
    this.getent = getent;
    this.id = id;
    this.limitMillis = limitMillis;
  }

  @Override
  public Optional<String> userName(int uid) throws IOException {
    return name("passwd", uid);
  }

  @Override
  public Optional<Integer> userNumber(String name) throws IOException {
    return number("passwd", name);
  }

  @Override
  public Optional<String> groupName(int gid) throws IOException {
    return name("group", gid);
  }

  @Override
  public Optional<Integer> groupNumber(String name) throws IOException {
    return number("group", name);
  }

  @Override
  public List<Integer> groupsOf(String user) throws IOException {
    Optional<String> name =
        user.matches(DECIMAL) ? nameOf(user) : userNumber(user).map(known -> user);
    if (name.isEmpty()) {
      return List.of();
    }
    // What getent has just known is no unknown user: all that id cannot tell is a failure.
    Said said = run(List.of(id, "-G", "--", name.get()));
    if (said.exitCode != 0) {
      throw new IOException("`id -G` failed with exit code " + said.exitCode);
    }
    List<Integer> groups = new ArrayList<>();
    for (String each : said.text.strip().split("\\s+", -1)) {
      groups.add(unsigned(each));
    }
    return List.copyOf(groups);
  }

  private Optional<String> nameOf(String decimal) throws IOException {
    boolean isNumber = decimal.length() <= MAX_DIGITS && Long.parseLong(decimal) <= MAX_NUMBER;
    return isNumber ? userName((int) Long.parseLong(decimal)) : Optional.empty();
  }

  private Optional<String> name(String table, int number) throws IOException {
    String key = Integer.toUnsignedString(number);
    return line(table, key)
        .filter(fields -> fields[NUMBER_FIELD].equals(key))
        .map(fields -> fields[0])
        .filter(HostCommands::canBeAsked);
  }

  private Optional<Integer> number(String table, String name) throws IOException {
    // A number would be looked for as such.
    if (!canBeAsked(name)) {
      return Optional.empty();
    }
    Optional<String[]> line = line(table, name).filter(fields -> fields[0].equals(name));
    return line.isEmpty() ? Optional.empty() : Optional.of(unsigned(line.get()[NUMBER_FIELD]));
  }

  /** A name that getent takes for one, and that Weft takes for one. */
  private static boolean canBeAsked(String name) {
    return !name.isEmpty()
        && !name.matches(DECIMAL)
        && name.charAt(0) != '-'
        && name.chars().noneMatch(c -> c == ':' || c == '/' || Character.isISOControl(c))
        && name.getBytes(StandardCharsets.UTF_8).length <= MAX_NAME_BYTES;
  }

  private Optional<String[]> line(String table, String key) throws IOException {
    Said said = run(List.of(getent, table, key));
    if (said.exitCode == UNKNOWN_KEY) {
      return Optional.empty();
    }
    String[] fields = said.text.lines().findFirst().orElse("").split(":", -1);
    if (said.exitCode != 0 || fields.length <= NUMBER_FIELD) {
      throw new IOException("`getent %s` failed with exit code %d".formatted(table, said.exitCode));
    }
    return Optional.of(fields);
  }

  private static int unsigned(String text) throws IOException {
    try {
      return Integer.parseUnsignedInt(text);
    } catch (NumberFormatException e) {
      throw new IOException("a number of a user or group was expected, got '" + text + "'", e);
    }
  }

  private Said run(List<String> command) throws IOException {
    Process process =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.DISCARD).start();
    Scheduler.Timer limit =
        scheduler.schedule(
            TimeUnit.MILLISECONDS.toNanos(limitMillis), Runnable::run, process::destroyForcibly);
    try (InputStream out = process.getInputStream()) {
      process.getOutputStream().close();
      byte[] text = out.readNBytes(MAX_BYTES);
      if (text.length == MAX_BYTES || !process.waitFor(2L * limitMillis, TimeUnit.MILLISECONDS)) {
        throw new IOException("`%s %s` had no end".formatted(command.get(0), command.get(1)));
      }
      if (process.exitValue() > Byte.MAX_VALUE) {
        throw new IOException(
            "`%s %s` did not reply within %d ms"
                .formatted(command.get(0), command.get(1), limitMillis));
      }
      return new Said(process.exitValue(), new String(text, StandardCharsets.UTF_8));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("the question was interrupted", e);
    } finally {
      limit.cancel();
      process.destroyForcibly();
    }
  }
}
