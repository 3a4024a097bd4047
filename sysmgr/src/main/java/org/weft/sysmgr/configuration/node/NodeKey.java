package org.weft.sysmgr.configuration.node;

import java.util.Comparator;
import org.weft.protocol.id.ManagerId;
import org.weft.protocol.id.OsdId;

/** An OSD or a manager. Ordered by kind, then id; prints as {@code osd-3}. */
public record NodeKey(Kind kind, int id) implements Comparable<NodeKey> {
  /** What a node is. */
  public enum Kind {
    OSD("osd"),
    MANAGER("manager");

    private final String word;

    Kind(String word) {
      this.word = word;
    }

    public String word() {
      return word;
    }
  }

  private static final Comparator<NodeKey> ORDER =
      Comparator.comparing(NodeKey::kind).thenComparing(NodeKey::id, Integer::compareUnsigned);

  public static NodeKey of(OsdId osd) {
    return new NodeKey(Kind.OSD, osd.value());
  }

  public static NodeKey of(ManagerId manager) {
    return new NodeKey(Kind.MANAGER, manager.value());
  }

  public OsdId osdId() {
    return new OsdId(expect(Kind.OSD));
  }

  public ManagerId managerId() {
    return new ManagerId(expect(Kind.MANAGER));
  }

  private int expect(Kind wanted) {
    if (kind != wanted) {
      throw new IllegalStateException(this + " is no " + wanted.word());
    }
    return id;
  }

  @Override
  public int compareTo(NodeKey other) {
    return ORDER.compare(this, other);
  }

  @Override
  public String toString() {
    return kind.word() + "-" + Integer.toUnsignedString(id);
  }
}
