package org.weft.cli.layout;

import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Collectors;
import org.weft.cli.files.RemoteFiles;
import org.weft.cli.output.ByteText;
import org.weft.client.FileStatus;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.layout.Layout;
import org.weft.protocol.layout.StorageMap;

/** The place of a file, as text. */
final class LayoutReport {
  private final StringBuilder text = new StringBuilder();
  private final RemoteFiles files;
  private final FileStatus file;
  private final StorageMap map;
  private final Layout layout;

  private LayoutReport(RemoteFiles files, FileStatus file, StorageMap map) {
    this.files = files;
    this.file = file;
    this.map = map;
    this.layout = map.layout();
  }

  /**
   * The report of a file.
   *
   * @param at a byte of it whose place is to be shown too
   */
  static String of(RemoteFiles files, FileStatus file, StorageMap map, OptionalLong at) {
    LayoutReport report = new LayoutReport(files, file, map);
    report.head();
    report.components();
    at.ifPresent(report::place);
    return report.text.toString();
  }

  /** The layout of new files in a directory. */
  static String of(FileStatus directory) {
    return directory.path()
        + ": new files "
        + directory.defaultLayout().map(wish -> "with " + wish).orElse("by the volume's default")
        + "\n";
  }

  private void line(String format, Object... arguments) {
    text.append(String.format(Locale.ROOT, format, arguments)).append('\n');
  }

  private void head() {
    line(
        "%s: %s bytes, code %d+%d, unit %s, %s",
        file.path(),
        ByteText.grouped(file.sizeBytes()),
        layout.dataUnits(),
        layout.parityUnits(),
        ByteText.of(layout.unitBytes()),
        shape());
    line(
        "Any %s of a group may be lost; map generation %d%s",
        layout.parityUnits() == 1 ? "one" : layout.parityUnits(),
        map.generation(),
        map.missing().isEmpty() ? "" : ", " + map.missing().size() + " missing");
  }

  private String shape() {
    if (layout.isSmall(file.sizeBytes())) {
      return "small: " + (layout.parityUnits() + 1) + " copies of its one unit";
    }
    long stripes = (file.sizeBytes() + layout.stripeBytes() - 1) / layout.stripeBytes();
    return ByteText.grouped(stripes)
        + (stripes == 1 ? " stripe" : " stripes")
        + (layout.groups() > 1
            ? " in " + layout.groups() + " groups, " + layout.groupDepth() + " at a time"
            : "");
  }

  private void components() {
    for (int index = 0; index < map.components().size(); index++) {
      if (layout.groups() > 1 && index % layout.width() == 0) {
        line("  group %d", index / layout.width());
      }
      line(
          "    component %-3d %s%s",
          index,
          osd(map.osdOf(index)),
          map.isMissing(index) ? "  MISSING: not read until it is rebuilt" : "");
    }
    if (!map.attributeOsds().isEmpty()) {
      line(
          "    attributes    %s",
          map.attributeOsds().stream().map(osd -> "osd-" + osd).collect(Collectors.joining(" ")));
    }
  }

  private String osd(OsdId id) {
    Optional<RemoteFiles.OsdNode> node = files.osd(id);
    return String.format(
        Locale.ROOT,
        "%-8s %-11s %s",
        "osd-" + id,
        node.map(known -> shown(known.state())).orElse("unknown"),
        node.map(known -> known.host() + "  " + known.address()).orElse(""));
  }

  private static String shown(String state) {
    return state.equals("down") ? "DOWN" : state;
  }

  private void place(long offsetBytes) {
    BytePlace place = BytePlace.of(layout, file.sizeBytes(), offsetBytes);
    line(
        "Byte %s: stripe %s%s, data unit %d",
        ByteText.grouped(offsetBytes),
        ByteText.grouped(place.stripe()),
        layout.groups() > 1
            ? " (group " + place.group() + ", its stripe " + place.stripeInGroup() + ")"
            : "",
        place.unit());
    place.components().forEach(component -> holder("on", component, place));
    List<Integer> parities = place.parityComponents();
    for (int parity = 0; parity < parities.size(); parity++) {
      holder("P" + parity, parities.get(parity), null);
    }
  }

  private void holder(String what, int component, BytePlace place) {
    line(
        "    %-3s component %-3d osd-%s%s%s",
        what,
        component,
        map.osdOf(component),
        place == null ? "" : ", byte " + ByteText.grouped(place.componentOffsetBytes()) + " of it",
        map.isMissing(component) ? "  MISSING" : "");
  }
}
