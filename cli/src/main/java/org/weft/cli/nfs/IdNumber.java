package org.weft.cli.nfs;

import org.weft.protocol.wire.NfsIdRow;
import picocli.CommandLine.Option;

/** A user or a group by its number; exactly one of them. */
final class IdNumber {
  private static final long MAX = 0xffff_ffffL;

  @Option(names = "--uid", paramLabel = "UID", description = "A user's number.")
  private Long user;

  @Option(names = "--gid", paramLabel = "GID", description = "A group's number.")
  private Long group;

  /** What is wrong with it; empty if nothing. */
  String fault() {
    long number = number();
    return number < 0 || number > MAX ? "a number is 0 to " + MAX + ", got " + number : "";
  }

  boolean isGroup() {
    return group != null;
  }

  long number() {
    return group != null ? group : user;
  }

  NfsIdRow.Builder row() {
    return NfsIdRow.newBuilder().setGroup(isGroup()).setNumber((int) number());
  }

  @Override
  public String toString() {
    return (isGroup() ? "group " : "user ") + number();
  }
}
