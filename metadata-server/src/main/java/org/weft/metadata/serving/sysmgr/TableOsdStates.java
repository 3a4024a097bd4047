package org.weft.metadata.serving.sysmgr;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Predicate;
import org.weft.metadata.balance.BalanceRound;
import org.weft.metadata.objects.OsdStates;
import org.weft.metadata.placement.OsdOfVolume;
import org.weft.metadata.placement.OsdPool;
import org.weft.metadata.readmission.QuarantinedOsd;
import org.weft.metadata.readmission.Settling;
import org.weft.metadata.repair.LostOsds;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.id.PartitionId;
import org.weft.protocol.wire.ClusterTable;
import org.weft.protocol.wire.OsdRow;

/**
 * The states of a BladeSet's OSDs as the last table of SysMgr has them, for one of its volumes. For
 * a manager an OSD in quarantine is up like any other: copies on it are written and caught up (P
 * 5.8). Thread-safe.
 */
public final class TableOsdStates implements OsdStates, Settling.Starts {
  private final PartitionId volume;
  private volatile String bladeSet;
  private volatile TreeMap<OsdId, OsdOfVolume> rows = new TreeMap<>();
  private volatile SortedMap<OsdId, OsdOfVolume> ofCluster = new TreeMap<>();
  private volatile SortedMap<OsdId, Long> removed = new TreeMap<>();
  private volatile Optional<BalanceRound> balance = Optional.empty();
  private volatile boolean repairsPaused;

  /**
   * @param bladeSet that the volume was in when this manager was given it
   */
  public TableOsdStates(String bladeSet, PartitionId volume) {
    this.bladeSet = bladeSet;
    this.volume = volume;
  }

  /** Takes in a newer table. */
  public void changed(ClusterTable table) {
    bladeSet = OsdPool.bladeSet(table, volume, bladeSet);
    TreeMap<OsdId, OsdOfVolume> next = new TreeMap<>();
    SortedMap<OsdId, OsdOfVolume> all = new TreeMap<>();
    SortedMap<OsdId, Long> gone = new TreeMap<>();
    for (OsdRow row : table.getOsdsList()) {
      OsdId osd = new OsdId(row.getOsdId());
      boolean isOurs = row.getBladeSet().equals(bladeSet);
      if (row.getRemoved()) {
        if (isOurs) {
          gone.put(osd, row.getDrainNumber());
        }
        continue;
      }
      OsdOfVolume known = new OsdOfVolume(row, volume);
      all.put(osd, known);
      if (isOurs) {
        next.put(osd, known);
      }
    }
    rows = next;
    ofCluster = all;
    balance = BalanceRound.of(table, bladeSet);
    repairsPaused = table.hasRepairPause();
    removed = Collections.unmodifiableSortedMap(gone);
  }

  /** The BladeSet that the volume is in. */
  public String bladeSet() {
    return bladeSet;
  }

  /** The round of the BladeSet's balance, if it is being balanced. */
  public Optional<BalanceRound> balance() {
    return balance;
  }

  /** An operator wants nothing to be rebuilt or drained now. */
  public boolean repairsPaused() {
    return repairsPaused;
  }

  /** OSDs that an operator has removed from the BladeSet: they do not come back. */
  public List<OsdId> removed() {
    return List.copyOf(removed.keySet());
  }

  /**
   * OSDs of the BladeSet that are drained or removed, each with the number of its drain; 0: it was
   * removed without being drained.
   */
  public SortedMap<OsdId, Long> out() {
    SortedMap<OsdId, Long> out = new TreeMap<>(removed);
    draining().forEach(osd -> out.put(osd, rows.get(osd).row().getDrainNumber()));
    return out;
  }

  /** OSDs whose components are to go to others, whatever their state, ascending. */
  public List<OsdId> draining() {
    List<OsdId> draining = new ArrayList<>();
    rows.forEach(
        (osd, known) -> {
          if (known.row().getDraining()) {
            draining.add(osd);
          }
        });
    return draining;
  }

  /** OSDs that SysMgr has given up, and by what it is known that they were back meanwhile. */
  public SortedMap<OsdId, LostOsds.Down> downSince() {
    SortedMap<OsdId, LostOsds.Down> down = new TreeMap<>();
    rows.forEach(
        (osd, known) -> {
          if (known.isDown()) {
            OsdRow row = known.row();
            down.put(
                osd,
                new LostOsds.Down(
                    row.getIncarnation(), row.getQuarantine(), row.getAddressesCount() == 0));
          }
        });
    return down;
  }

  @Override
  public List<OsdId> osds() {
    return List.copyOf(rows.keySet());
  }

  /** An OSD that the table does not have in the BladeSet is as good as down. */
  @Override
  public boolean isDown(OsdId osd) {
    OsdOfVolume known = rows.get(osd);
    return known == null || known.isDown();
  }

  /** One that the table does not know yet may have lost its power before it started. */
  @Override
  public boolean mayHaveLostWrites(OsdId osd, long incarnation) {
    OsdOfVolume known = rows.get(osd);
    return known == null
        || known.lacksWrites()
        || known.isDown() && known.row().getLostWrites()
        || known.row().getIncarnation() != incarnation;
  }

  /** OSDs that SysMgr has given up, ascending. */
  public List<OsdId> down() {
    return rows.keySet().stream().filter(this::isDown).toList();
  }

  /**
   * OSDs that SysMgr has not given up and that lost nothing that the volume has not decided of,
   * ascending, each with its start.
   */
  public SortedMap<OsdId, Long> whole() {
    SortedMap<OsdId, Long> whole = new TreeMap<>();
    rows.forEach(
        (osd, known) -> {
          if (!known.isDown() && !known.isLossy()) {
            whole.put(osd, known.row().getIncarnation());
          }
        });
    return whole;
  }

  /** The start of an OSD, whatever its state; empty for one that the table does not have. */
  public OptionalLong incarnation(OsdId osd) {
    OsdOfVolume known = rows.get(osd);
    return known == null ? OptionalLong.empty() : OptionalLong.of(known.row().getIncarnation());
  }

  /**
   * The start of an OSD that serves clients; empty for any other. One that has left the BladeSet
   * counts, too: what was written there while it was in it is to be settled.
   */
  @Override
  public OptionalLong wholeIncarnation(OsdId osd) {
    OsdOfVolume known = ofCluster.get(osd);
    return known == null || !known.isUp()
        ? OptionalLong.empty()
        : OptionalLong.of(known.row().getIncarnation());
  }

  /**
   * The BladeSet has OSDs, and the cluster does not have this one. An OSD of another BladeSet is
   * not removed. After SysMgr was restored to a state from before that OSD came, files of the
   * volume may be on it (P 4.5).
   */
  @Override
  public boolean isRemoved(OsdId osd) {
    SortedMap<OsdId, OsdOfVolume> known = ofCluster;
    return !rows.isEmpty() && !known.containsKey(osd);
  }

  /** OSDs that serve managers: up, or in quarantine. */
  public List<OsdId> servingManagers() {
    List<OsdId> serving = new ArrayList<>();
    rows.forEach(
        (osd, known) -> {
          if (known.servesManagers()) {
            serving.add(osd);
          }
        });
    return serving;
  }

  /** OSDs in quarantine for which this volume has not voted, ascending. */
  public List<QuarantinedOsd> quarantined() {
    return waiting(OsdOfVolume::isToBeCompared);
  }

  /** OSDs that lost power, ascending, also those that are silent again before the volume voted. */
  public List<QuarantinedOsd> lossy() {
    return waiting(OsdOfVolume::isLossy);
  }

  private List<QuarantinedOsd> waiting(Predicate<OsdOfVolume> which) {
    List<QuarantinedOsd> waiting = new ArrayList<>();
    for (OsdOfVolume known : rows.values()) {
      if (which.test(known)) {
        OsdRow row = known.row();
        waiting.add(
            new QuarantinedOsd(
                new OsdId(row.getOsdId()),
                row.getIncarnation(),
                row.getQuarantine(),
                row.getLostWrites()));
      }
    }
    return waiting;
  }
}
