package org.weft.nfs.files;

import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.weft.protocol.rpc.Payload;

/** What operations answer when they are done. */
public sealed interface FileReply {
  /** A name was found. */
  record Found(Attributes node, Attributes directory) implements FileReply {}

  /** Which of the rights that were asked for the caller has. */
  record Granted(Set<AccessRight> rights, Attributes node) implements FileReply {
    public Granted {
      rights = Set.copyOf(rights);
    }
  }

  /** Where a symbolic link leads. */
  record Target(byte[] target, Attributes node) implements FileReply {}

  /**
   * Bytes of a file.
   *
   * @param bytes owned by the receiver; fewer than were asked for only at the end or by choice
   * @param atEnd the last of them is the file's last
   */
  record Bytes(Payload bytes, boolean atEnd, Attributes node) implements FileReply {}

  /**
   * Bytes were taken.
   *
   * @param countBytes at least one, unless none were given
   * @param stability at least what was asked for
   * @param verifier as {@link Committed} has it
   */
  record Written(int countBytes, Stability stability, long verifier, Change node)
      implements FileReply {}

  /**
   * All that was written UNSTABLE with the same verifier, in the range, is on stable storage.
   *
   * @param verifier changes whenever bytes that were answered may have been lost
   */
  record Committed(long verifier, Change node) implements FileReply {}

  /** A node was made, or taken. */
  record Made(Attributes node, Change directory) implements FileReply {}

  /** A name was removed. */
  record Removed(Change directory) implements FileReply {}

  /** A name was moved; both are the same where the directories are. */
  record Renamed(Change from, Change to) implements FileReply {}

  /** A name was added. */
  record Linked(Change node, Change directory) implements FileReply {}

  /**
   * A part of a directory.
   *
   * @param parent the directory above; of a root the root itself
   * @param atEnd there is nothing behind the last entry
   */
  record Listing(List<Entry> entries, boolean atEnd, Attributes directory, FileId parent)
      implements FileReply {
    public Listing {
      entries = List.copyOf(entries);
    }
  }

  /**
   * An entry of a directory.
   *
   * @param cookie positive; the listing goes on behind it, at any gateway, for ever
   * @param attributes where they were asked for and are known for sure
   */
  record Entry(FileName name, FileId id, long cookie, Optional<Attributes> attributes) {}

  /** Space of a volume, as files can use it there. */
  record Space(long totalBytes, long freeBytes, long totalFiles, long freeFiles, Attributes node)
      implements FileReply {}
}
