package org.weft.soak;

import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Names of logs: {@code client-3-run-2-lane-1.log}. */
final class LogName {
  private static final Pattern FORM = Pattern.compile("client-(\\d+)-run-(\\d+)-lane-(\\d+)\\.log");

  private LogName() {}

  static String client(int client) {
    return "client-" + client + "-";
  }

  /** The name for one process of a client. */
  static String process(int client, int run) {
    return client(client) + "run-" + run;
  }

  static String of(String process, int lane) {
    return process + "-lane-" + lane + ".log";
  }

  static boolean isLog(Path file) {
    return FORM.matcher(file.getFileName().toString()).matches();
  }

  private static Matcher match(Path file) {
    Matcher matcher = FORM.matcher(file.getFileName().toString());
    if (!matcher.matches()) {
      throw new IllegalArgumentException(file + " is not the name of a log");
    }
    return matcher;
  }

  /** The same for all processes of a client. */
  static String laneOf(Path file) {
    Matcher matcher = match(file);
    return matcher.group(1) + "/" + matcher.group(3);
  }

  static Path later(Path left, Path right) {
    return run(left) > run(right) ? left : right;
  }

  private static int run(Path file) {
    return Integer.parseInt(match(file).group(2));
  }
}
