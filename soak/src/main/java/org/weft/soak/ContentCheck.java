package org.weft.soak;

import java.util.List;
import java.util.Optional;

/** Decides whether bytes that were read can be explained by logged writes. */
final class ContentCheck {
  private ContentCheck() {}

  /** Read while its writer may have gone on: each byte from one of the states. */
  static Optional<String> beside(LoggedFile history, List<FileState> states, byte[] found) {
    int least = states.stream().mapToInt(FileState::published).min().orElseThrow();
    int most = states.stream().mapToInt(state -> state.content().length).max().orElseThrow();
    if (found.length < least || found.length > most) {
      return Optional.of(history + " has " + found.length + " bytes, not " + least + " to " + most);
    }
    return bytes(history, states, found);
  }

  /** Read when no client writes it and everything is in order. */
  static Optional<String> atRest(LoggedFile history, byte[] found) {
    List<FileState> states = history.states();
    int least = states.stream().mapToInt(state -> state.content().length).min().orElseThrow();
    int most = states.stream().mapToInt(state -> state.content().length).max().orElseThrow();
    if (found.length < least || found.length > most) {
      return Optional.of(
          history + " has " + found.length + " bytes at rest, not " + least + " to " + most);
    }
    return bytes(history, states, found);
  }

  private static Optional<String> bytes(LoggedFile history, List<FileState> states, byte[] found) {
    for (int at = 0; at < found.length; at++) {
      if (!matches(states, found, at)) {
        return Optional.of(describe(history, states, found, at));
      }
    }
    return Optional.empty();
  }

  private static boolean matches(List<FileState> states, byte[] found, int at) {
    for (FileState state : states) {
      if (state.at(at) == found[at]) {
        return true;
      }
    }
    return false;
  }

  private static String describe(
      LoggedFile history, List<FileState> states, byte[] found, int first) {
    int wrong = 0;
    int last = first;
    for (int at = first; at < found.length; at++) {
      if (!matches(states, found, at)) {
        wrong++;
        last = at;
      }
    }
    String holds =
        found[first] == 0
            ? "zeros"
            : history
                .writerOf(first, found)
                .map(operation -> "what " + operation + " wrote")
                .orElse("what no client wrote there");
    String expected =
        history
            .writerOf(first, states.get(0).content())
            .map(operation -> "what " + operation + " wrote")
            .orElse("zeros");
    return history
        + ": "
        + wrong
        + " wrong bytes of "
        + found.length
        + " from "
        + first
        + " to "
        + last
        + "; at "
        + first
        + " it holds "
        + holds
        + " in place of "
        + expected;
  }
}
