package org.weft.metadata.volume;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.layout.Layout;

/**
 * Directories whose newest file has a layout that people asked for and that took all OSDs: what one
 * of these held cannot be rebuilt, for no OSD is left out (P 6.8). Kept in memory, of a few
 * directories; a manager that takes over learns of them with the next files. Confined to the
 * volume's thread.
 */
public final class FullLayouts {
  /** Those that got a file last. */
  static final int MOST_DIRECTORIES = 16;

  private final Map<ObjectId, FullLayout> byDirectory = new LinkedHashMap<>();

  /**
   * @param layout of the newest file
   * @param osds that the BladeSet had then, without drained ones
   * @param directory as a message names it
   */
  public record FullLayout(Layout layout, int osds, String directory) {}

  /**
   * A file was made in the directory.
   *
   * @param asked somebody asked for its code or its groups
   * @param staying OSDs of the BladeSet that are not drained
   */
  void made(ObjectId directory, String name, Layout layout, boolean asked, int staying) {
    byDirectory.remove(directory);
    boolean isFull = layout.parityUnits() > 0 && layout.width() * layout.groups() >= staying;
    if (asked && isFull) {
      byDirectory.put(directory, new FullLayout(layout, staying, name));
      if (byDirectory.size() > MOST_DIRECTORIES) {
        byDirectory.remove(byDirectory.keySet().iterator().next());
      }
    }
  }

  /** The directory has another layout from now on, or is gone. */
  void forget(ObjectId directory) {
    byDirectory.remove(directory);
  }

  /** Those that still take all OSDs. */
  List<FullLayout> withoutSpare(int staying) {
    return byDirectory.values().stream()
        .filter(each -> each.layout().width() * each.layout().groups() >= staying)
        .toList();
  }
}
