package org.weft.client.ids;

import java.util.List;
import java.util.Optional;
import org.weft.protocol.rpc.Payload;

/** The replies of operations on files by their numbers. */
public final class Answers {
  private Answers() {}

  /** A name was found. */
  public record Found(NodeAttributes node, NodeAttributes directory) {}

  /** What the caller may do with a node by its mode, or as the superuser. */
  public record Rights(boolean read, boolean write, boolean execute, NodeAttributes node) {}

  /**
   * Bytes of a file.
   *
   * @param bytes owned by the receiver, which releases them; fewer than asked for only at the end
   * @param atEnd the last of them is the file's last, or there were none left
   * @param node as it was just before the bytes were read
   */
  public record BytesRead(Payload bytes, boolean atEnd, NodeAttributes node) {}

  /**
   * Bytes were taken.
   *
   * @param stability at least what was asked for
   */
  public record BytesWritten(int countBytes, WriteStability stability, NodeChange node) {}

  /**
   * A node was made, or taken.
   *
   * @param made false: it was there
   */
  public record Made(NodeAttributes node, NodeChange directory, boolean made) {}

  /**
   * A name was removed.
   *
   * @param node what it led to; without after where that is gone
   */
  public record Removed(NodeChange directory, NodeChange node) {}

  /**
   * A name was moved.
   *
   * @param from the old directory; the same as {@code to} if there is one only
   * @param replaced what the new name led to before; empty if nothing
   */
  public record Renamed(
      NodeChange from, NodeChange to, NodeChange node, Optional<NodeChange> replaced) {}

  /** A name was added. */
  public record Linked(NodeChange node, NodeChange directory) {}

  /**
   * A part of a directory.
   *
   * @param atEnd there is nothing behind the last entry
   * @param directory its attributes
   * @param parent the directory above, in the same volume; of a volume's root the root itself
   */
  public record Page(List<Entry> entries, boolean atEnd, NodeAttributes directory, NodeId parent) {
    public Page {
      entries = List.copyOf(entries);
    }
  }

  /**
   * An entry of a directory.
   *
   * @param id where another volume stands, the root of that one
   * @param cookie positive; the listing goes on behind it, at any client, for ever
   * @param attributes where they were asked for, and no client writes the node
   */
  public record Entry(
      String name, NodeId id, NodeType type, long cookie, Optional<NodeAttributes> attributes) {}

  /** Space of a volume, as files of its usual layout can use it: parity is taken off. */
  public record Space(long totalBytes, long freeBytes, long files, NodeAttributes node) {}

  /**
   * What a call looked at that was refused, all as of the moment of the refusal.
   *
   * @param node that was named by its number
   * @param directory of a name; of a rename, of the old one
   * @param target of a rename: of the new name
   */
  public record LookedAt(NodeChange node, NodeChange directory, NodeChange target) {
    public static final LookedAt NOTHING =
        new LookedAt(NodeChange.UNKNOWN, NodeChange.UNKNOWN, NodeChange.UNKNOWN);
  }
}
