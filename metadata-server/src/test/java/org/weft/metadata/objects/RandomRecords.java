package org.weft.metadata.objects;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.SortedMap;
import java.util.TreeSet;
import org.weft.metadata.attributes.Attributes;
import org.weft.metadata.attributes.NodeKind;
import org.weft.metadata.attributes.Times;
import org.weft.metadata.directory.DirectoryEntry;
import org.weft.metadata.directory.HashKey;
import org.weft.metadata.journal.Effect;
import org.weft.metadata.journal.ObjectEffect.CreateDirectory;
import org.weft.metadata.journal.ObjectEffect.PutAttributes;
import org.weft.metadata.journal.ObjectEffect.PutEntry;
import org.weft.metadata.journal.ObjectEffect.RemoveEntry;
import org.weft.metadata.journal.ObjectEffect.RemoveObject;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.layout.Layout;
import org.weft.protocol.layout.StorageMap;

/** Random operations on a volume, as the records that a manager would write. */
final class RandomRecords {
  private final Random random;
  private final PortOsds osds;
  private long nextObject = ObjectId.FIRST_ISSUED;

  RandomRecords(Random random, PortOsds osds) {
    this.random = random;
    this.osds = osds;
  }

  List<Effect> format(Lsn lsn) {
    Attributes root = directory(ObjectId.ROOT, lsn);
    return List.of(
        new CreateDirectory(ObjectId.ROOT, HashKey.draw(random)), new PutAttributes(root));
  }

  private Attributes directory(ObjectId object, Lsn lsn) {
    StorageMap map = StorageMap.of(Layout.of(1, 2), choose(3));
    return Attributes.create(object, NodeKind.DIRECTORY, map).changeLsn(lsn).build();
  }

  private Attributes file(ObjectId object, Lsn lsn) {
    StorageMap map =
        random.nextBoolean() ? StorageMap.of(Layout.of(2, 1), choose(3)) : mirrored(choose(3));
    return Attributes.create(object, NodeKind.FILE, map).mode(0644).changeLsn(lsn).build();
  }

  /** Two components and an attribute-only object. */
  private static StorageMap mirrored(List<OsdId> chosen) {
    return new StorageMap(
        Layout.of(1, 1), chosen.subList(0, 2), 1, new TreeSet<>(), chosen.subList(2, 3));
  }

  /** New objects go to OSDs that are up, as far as there are enough. */
  private List<OsdId> choose(int count) {
    List<OsdId> up = new ArrayList<>();
    osds.osds().stream().filter(osd -> !osds.isDown(osd)).forEach(up::add);
    List<OsdId> from = up.size() >= count ? up : new ArrayList<>(osds.osds());
    java.util.Collections.shuffle(from, random);
    return List.copyOf(from.subList(0, count));
  }

  /** One operation that is possible in the state; empty if none came to mind. */
  List<Effect> operation(History.State state, Lsn lsn) {
    ObjectId directory = anyDirectory(state);
    SortedMap<String, DirectoryEntry> entries = state.directories.get(directory);
    String name = name();
    DirectoryEntry old = entries.get(name);
    List<Effect> effects = new ArrayList<>();
    int dice = random.nextInt(10);
    if (old == null && dice < 8) {
      create(directory, name, dice == 0, lsn, effects);
    } else if (old != null && dice < 4) {
      remove(state, directory, name, old, effects);
    } else if (old != null && dice < 7) {
      Attributes attributes = state.attributes.get(old.object());
      effects.add(
          new PutAttributes(
              attributes.edit().sizeBytes(random.nextInt(1 << 20)).changeLsn(lsn).build()));
      return effects;
    } else if (old != null) {
      rename(state, directory, name, old, lsn, effects);
    }
    if (!effects.isEmpty()) {
      effects.add(touch(state, directory, lsn));
    }
    return effects;
  }

  private ObjectId anyDirectory(History.State state) {
    List<ObjectId> all = List.copyOf(state.directories.keySet());
    return random.nextBoolean() ? ObjectId.ROOT : all.get(random.nextInt(all.size()));
  }

  private String name() {
    int number = random.nextInt(300);
    return "n" + number + "-".repeat(number % 4 == 0 ? 200 : 30);
  }

  private static PutAttributes touch(History.State state, ObjectId directory, Lsn lsn) {
    Attributes old = state.attributes.get(directory);
    return new PutAttributes(old.edit().times(Times.of(lsn.index())).changeLsn(lsn).build());
  }

  private void create(
      ObjectId directory, String name, boolean makeDirectory, Lsn lsn, List<Effect> effects) {
    ObjectId object = new ObjectId(nextObject++);
    Attributes attributes = makeDirectory ? directory(object, lsn) : file(object, lsn);
    if (makeDirectory) {
      effects.add(new CreateDirectory(object, HashKey.draw(random)));
    }
    effects.add(new PutAttributes(attributes));
    effects.add(
        new PutEntry(
            directory,
            name,
            new DirectoryEntry(
                object, attributes.kind(), lsn, attributes.map().attributeHolders(3))));
  }

  private void remove(
      History.State state,
      ObjectId directory,
      String name,
      DirectoryEntry old,
      List<Effect> effects) {
    SortedMap<String, DirectoryEntry> children = state.directories.get(old.object());
    if (children != null && !children.isEmpty()) {
      return;
    }
    effects.add(new RemoveEntry(directory, name));
    effects.add(new RemoveObject(old.object(), holders(state, old.object())));
  }

  private static List<OsdId> holders(History.State state, ObjectId object) {
    StorageMap map = state.attributes.get(object).map();
    List<OsdId> holders = new ArrayList<>(map.components());
    holders.addAll(map.attributeOsds());
    return holders;
  }

  private void rename(
      History.State state,
      ObjectId directory,
      String name,
      DirectoryEntry old,
      Lsn lsn,
      List<Effect> effects) {
    ObjectId target = anyDirectory(state);
    String newName = name();
    DirectoryEntry replaced = state.directories.get(target).get(newName);
    boolean same = target.equals(directory) && newName.equals(name);
    if (same
        || old.kind() == NodeKind.DIRECTORY
        || replaced != null && replaced.kind() != old.kind()) {
      return;
    }
    effects.add(new RemoveEntry(directory, name));
    effects.add(
        new PutEntry(
            target, newName, new DirectoryEntry(old.object(), old.kind(), lsn, old.hints())));
    if (replaced != null) {
      effects.add(new RemoveObject(replaced.object(), holders(state, replaced.object())));
    }
    if (!target.equals(directory)) {
      effects.add(touch(state, target, lsn));
    }
  }
}
