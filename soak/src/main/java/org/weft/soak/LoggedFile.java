package org.weft.soak;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * One file that one client at a time changes. It has the acknowledged state, and the one operation
 * whose result is not known yet. Not thread-safe.
 */
final class LoggedFile {
  private final String path;
  private final List<SoakOp> operations = new ArrayList<>();
  private FileState acknowledged;
  private SoakOp doubtful;
  private boolean made;
  private boolean removing;
  private boolean removed;
  private boolean open;
  private int answers;

  // Every state since {@link #watch} was called.
  private final List<FileState> seen = new ArrayList<>();
  private boolean watched;

  LoggedFile(String path, FileState first) {
    this.path = path;
    this.acknowledged = first;
  }

  /** A file that was taken from another client, as the taker found it. */
  static LoggedFile taken(String path, byte[] content) {
    LoggedFile history = new LoggedFile(path, FileState.atRest(content));
    history.made = true;
    history.open = true;
    return history;
  }

  String path() {
    return path;
  }

  void begun(SoakOp operation) {
    operations.add(operation);
    doubtful = operation;
    removing |= operation.kind() == SoakOp.Kind.UNLINK;
    if (watched) {
      seen.add(acknowledged.after(operation));
    }
  }

  void done(SoakOp operation) {
    acknowledged = acknowledged.after(operation);
    doubtful = null;
    answers++;
    switch (operation.kind()) {
      case UPDATED, GROWING -> {
        made = true;
        open = true;
      }
      case STREAM -> made = true;
      case CLOSE -> open = false;
      case UNLINK -> removed = true;
      default -> {}
    }
  }

  /** The operation stays in doubt, and is the client's last one on this file. */
  void failed() {
    open = false;
  }

  /** The file must be there. */
  boolean mustExist() {
    return made && !removing;
  }

  boolean mustBeGone() {
    return removed;
  }

  /** Its writer holds a grant on it, and is not about to give it back or to get another. */
  boolean isHeld() {
    return open
        && made
        && !removing
        && (doubtful == null
            || (doubtful.kind() != SoakOp.Kind.REOPEN && doubtful.kind() != SoakOp.Kind.CLOSE));
  }

  /** It holds what was acknowledged. */
  boolean isWritten() {
    return acknowledged.content().length > 0;
  }

  /**
   * Its client was granted the file once more: it has answers to operations that it began later.
   *
   * @param before the same file as it was known earlier
   */
  boolean wentOnSince(LoggedFile before) {
    return answers > before.answers + (before.isQuiet() ? 0 : 1);
  }

  /** Nothing is under way on it. */
  boolean isQuiet() {
    return doubtful == null;
  }

  boolean isOpen() {
    return open;
  }

  /** From now on every state that it may be in is kept. */
  void watch() {
    watched = true;
    seen.clear();
    seen.addAll(states());
  }

  /** The states that it may have been in since {@link #watch}. */
  List<FileState> watched() {
    watched = false;
    return List.copyOf(seen);
  }

  /** The states that it may be in. */
  List<FileState> states() {
    return doubtful == null
        ? List.of(acknowledged)
        : List.of(acknowledged, acknowledged.after(doubtful));
  }

  /** No client writes it any more, and this is what was found: it stays like that. */
  void settle(byte[] found) {
    acknowledged = FileState.atRest(found);
    doubtful = null;
    open = false;
  }

  /** The operation that may have written the byte there. */
  Optional<SoakOp> writerOf(int position, byte[] found) {
    int cell = position / 8 * 8;
    for (SoakOp operation : operations) {
      boolean covers =
          position >= operation.position() && position < operation.position() + operation.length();
      boolean same = covers;
      for (int at = Math.max(cell, operation.position());
          same && at < Math.min(found.length, cell + 8);
          at++) {
        same =
            at >= operation.position() + operation.length()
                || found[at] == BytePattern.at(operation.number(), at);
      }
      if (same) {
        return Optional.of(operation);
      }
    }
    return Optional.empty();
  }

  @Override
  public String toString() {
    return path
        + ": "
        + acknowledged.content().length
        + " bytes acknowledged, "
        + acknowledged.published()
        + " published"
        + (doubtful == null ? "" : ", in doubt: " + doubtful);
  }
}
