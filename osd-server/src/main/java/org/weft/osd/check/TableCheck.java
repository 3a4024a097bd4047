package org.weft.osd.check;

import java.io.IOException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.Map;
import java.util.Set;
import org.weft.osd.store.format.AttributeCodec;
import org.weft.osd.store.format.FormatException;
import org.weft.osd.store.format.HeaderCodec;
import org.weft.osd.store.format.KnownStarts;
import org.weft.osd.store.format.NumberCodec;
import org.weft.osd.store.format.ObjectRecord;
import org.weft.osd.store.format.ObjectRecordCodec;
import org.weft.osd.store.format.PartitionCodec;
import org.weft.osd.store.format.ScrubNotesCodec;
import org.weft.osd.store.format.StoreHeader;
import org.weft.osd.store.format.StoreKeys;
import org.weft.protocol.id.ObjectName;
import org.weft.protocol.id.PartitionId;
import org.weft.protocol.seam.KeyValueStore;

/** Checks everything that has no blocks: header, partitions, objects, attributes, tombstones. */
final class TableCheck {
  private static final String KINDS = "HCSFPOAEUBDTLWGMN";

  private final KeyValueStore tables;
  private final Tally tally;
  private final Set<Long> partitions = new HashSet<>();
  private final Map<Long, Owner> owners = new HashMap<>();
  private StoreHeader header;

  /** The object that extents of a handle belong to; the record is null for what a removal left. */
  static final class Owner {
    final ObjectName name;
    final ObjectRecord record;
    long blocks;
    long endBlock;
    boolean hasPending;

    Owner(ObjectName name, ObjectRecord record) {
      this.name = name;
      this.record = record;
    }
  }

  TableCheck(KeyValueStore tables, Tally tally) {
    this.tables = tables;
    this.tally = tally;
  }

  Map<Long, Owner> owners() {
    return owners;
  }

  void header() throws IOException {
    byte[] value = tables.get(StoreKeys.header());
    if (value == null) {
      throw new FormatException("there is no store header: this is no object store");
    }
    header = HeaderCodec.decode(value);
    tally.orderly = header.clean();
    byte[] checkpoint = tables.get(StoreKeys.checkpoint());
    if (checkpoint != null) {
      NumberCodec.decode(checkpoint);
    }
    KnownStarts.decode(tables.get(StoreKeys.starts()));
    byte[] scrubbed = tables.get(StoreKeys.scrubNotes());
    if (scrubbed != null) {
      ScrubNotesCodec.decode(scrubbed);
    }
  }

  void partitions() throws IOException {
    Scan.of(
        tables,
        StoreKeys.PARTITION,
        tally,
        (key, value) -> {
          long id = StoreKeys.numberAt(key, 0);
          partitions.add(id);
          tally.partitions++;
          PartitionCodec.decode(new PartitionId(id), value);
        });
  }

  void objects() throws IOException {
    Scan.of(
        tables,
        StoreKeys.DOOMED,
        tally,
        (key, value) -> owners.put(StoreKeys.numberAt(key, 0), new Owner(null, null)));
    Scan.of(
        tables,
        StoreKeys.OBJECT,
        tally,
        (key, value) -> {
          tally.objects = tally.counted("objects", tally.objects + 1);
          ObjectName name = StoreKeys.nameOf(key);
          ObjectRecord record = ObjectRecordCodec.decode(value);
          if (!partitions.contains(name.partition().value())) {
            tally.finding("object " + name + " lies in a partition that does not exist");
          }
          Owner other = owners.put(record.handle(), new Owner(name, record));
          if (other != null) {
            tally.finding(
                "object "
                    + name
                    + " has handle "
                    + record.handle()
                    + ", which "
                    + (other.name == null ? "a removed object" : "object " + other.name)
                    + " has too");
          }
          if (header.clean() && record.handle() >= header.nextHandle()) {
            tally.finding(
                "object "
                    + name
                    + " has handle "
                    + record.handle()
                    + ", the header would give that again");
          }
        });
    if (header.clean() && header.objects() != tally.objects) {
      tally.finding(
          "the header counts " + header.objects() + " objects, there are " + tally.objects);
    }
  }

  void attributes() throws IOException {
    Scan.of(
        tables,
        StoreKeys.ATTRIBUTE,
        tally,
        (key, value) -> {
          tally.attributePages = tally.counted("attribute pages", tally.attributePages + 1);
          long handle = StoreKeys.numberAt(key, 0);
          Owner owner = owners.get(handle);
          if (owner == null || owner.record == null) {
            tally.finding("an attribute page belongs to no object: handle " + handle);
          }
          AttributeCodec.decode(StoreKeys.attributePageOf(key), value);
        });
  }

  void tombstones() throws IOException {
    Scan.of(
        tables,
        StoreKeys.TOMBSTONE,
        tally,
        (key, value) -> {
          tally.tombstones = tally.counted("tombstones", tally.tombstones + 1);
          ObjectName name = StoreKeys.nameOf(key);
          byte[] byLsn =
              StoreKeys.tombstoneByLsn(
                  name.partition(), NumberCodec.decode(value), name.object().value());
          if (tables.get(byLsn) == null) {
            tally.finding("the tombstone of object " + name + " is not listed by its LSN");
          }
        });
    Scan.of(
        tables,
        StoreKeys.TOMBSTONE_BY_LSN,
        tally,
        (key, value) -> {
          ObjectName name = ObjectName.of(StoreKeys.numberAt(key, 0), StoreKeys.numberAt(key, 2));
          byte[] tombstone = tables.get(StoreKeys.tombstone(name));
          if (tombstone == null || NumberCodec.decode(tombstone) != StoreKeys.numberAt(key, 1)) {
            tally.finding("object " + name + " is listed with a tombstone that it does not have");
          }
        });
  }

  /** Every key is of a kind that this release knows. */
  void unknownKeys() throws IOException {
    int next = 0;
    while (next < 0xff) {
      byte[] from = {(byte) next};
      try (KeyValueStore.Cursor cursor = tables.scan(from, new byte[] {(byte) 0xff})) {
        if (!cursor.next()) {
          return;
        }
        int kind = cursor.key().length == 0 ? 0 : cursor.key()[0] & 0xff;
        if (KINDS.indexOf(kind) < 0) {
          tally.finding(
              "there are entries of a kind that is not known, such as "
                  + HexFormat.of().formatHex(cursor.key()));
        }
        next = kind + 1;
      }
    }
  }
}
