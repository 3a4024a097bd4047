package org.weft.bench.rebuild.model;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import org.weft.metadata.placement.OsdCandidate;
import org.weft.metadata.placement.OsdPool;
import org.weft.metadata.placement.Placement;
import org.weft.metadata.placement.PlacementSpec;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.layout.Layout;
import org.weft.protocol.layout.StorageMap;
import org.weft.recovery.rebuild.ComponentRebuild;

/**
 * Draws files that have bytes on one OSD, as if all files had been placed. Placing them all would
 * take hours for ten thousand OSDs. So a file is placed anywhere, one of its components is drawn,
 * and the names of hosts, and of OSDs on them, are turned until that component is on the OSD: all
 * OSDs are alike, and each host has as many. Not thread-safe.
 */
final class PlacedFiles {
  private static final int META_COPIES = 3;
  private static final long CAPACITY_FACTOR = 4;

  private final ModelSettings settings;
  private final SplittableRandom random;
  private final Placement placement;
  private final PlacementSpec wanted;

  PlacedFiles(ModelSettings settings, SplittableRandom random) {
    this.settings = settings;
    this.random = random;
    this.placement = new Placement(pool(settings, Set.of()), META_COPIES, random);
    this.wanted =
        new PlacementSpec(
            settings.dataUnits(),
            settings.parityUnits(),
            Layout.DEFAULT_UNIT_BYTES,
            Layout.DEFAULT_GROUP_DEPTH,
            1);
  }

  /** All OSDs of the model, of which some are down. */
  static OsdPool pool(ModelSettings settings, Set<OsdId> down) {
    List<OsdCandidate> osds = new ArrayList<>();
    for (int number = 1; number <= settings.osds(); number++) {
      OsdId osd = new OsdId(number);
      long capacityBytes = CAPACITY_FACTOR * settings.usedBytes();
      osds.add(
          new OsdCandidate(
              osd,
              "host-" + (number - 1) / settings.perHost(),
              !down.contains(osd),
              down.contains(osd),
              capacityBytes - settings.usedBytes(),
              capacityBytes,
              OsdCandidate.NO_DRAIN));
    }
    return new OsdPool(osds);
  }

  /** The layout of every file. */
  Layout layout() throws WeftException {
    return placement.file(wanted).layout();
  }

  /**
   * Files that fill one OSD.
   *
   * @param without no file that has anything on one of these
   */
  List<StorageMap> on(OsdId osd, Set<OsdId> without) throws WeftException {
    List<StorageMap> maps = new ArrayList<>();
    for (long left = settings.usedBytes(); left > 0; ) {
      StorageMap map = placement.file(wanted);
      List<Integer> existing = existing(map.layout());
      int component = existing.get(random.nextInt(existing.size()));
      StorageMap turned = turned(map, map.osdOf(component), osd);
      left -= ComponentRebuild.bytesOf(map.layout(), settings.fileBytes(), component);
      if (turned.presentOn(without).isEmpty()) {
        maps.add(turned);
      }
    }
    return maps;
  }

  private List<Integer> existing(Layout layout) {
    List<Integer> existing = new ArrayList<>();
    for (int component = 0; component < layout.componentCount(); component++) {
      if (ComponentRebuild.exists(layout, settings.fileBytes(), component)) {
        existing.add(component);
      }
    }
    return existing;
  }

  private StorageMap turned(StorageMap map, OsdId from, OsdId to) {
    List<OsdId> components = map.components().stream().map(each -> turned(each, from, to)).toList();
    List<OsdId> attributes =
        map.attributeOsds().stream().map(each -> turned(each, from, to)).toList();
    return new StorageMap(map.layout(), components, map.generation(), new TreeSet<>(), attributes);
  }

  private OsdId turned(OsdId osd, OsdId from, OsdId to) {
    int perHost = settings.perHost();
    int hosts = settings.osds() / perHost;
    int host = Math.floorMod(host(osd) + host(to) - host(from), hosts);
    int place = Math.floorMod(place(osd) + place(to) - place(from), perHost);
    return new OsdId(host * perHost + place + 1);
  }

  private int host(OsdId osd) {
    return (osd.value() - 1) / settings.perHost();
  }

  private int place(OsdId osd) {
    return (osd.value() - 1) % settings.perHost();
  }
}
