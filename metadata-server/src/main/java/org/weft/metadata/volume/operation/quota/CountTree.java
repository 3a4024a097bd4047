package org.weft.metadata.volume.operation.quota;

import com.google.protobuf.MessageLite;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.weft.metadata.attributes.Attributes;
import org.weft.metadata.attributes.NodeKind;
import org.weft.metadata.directory.DirectoryPage;
import org.weft.metadata.directory.NamedEntry;
import org.weft.metadata.journal.QuotaEffect;
import org.weft.metadata.quota.QuotaScan;
import org.weft.metadata.quota.QuotaTree;
import org.weft.metadata.volume.execution.Execution;
import org.weft.metadata.volume.execution.Operation;
import org.weft.metadata.volume.operation.QuotaDesk;
import org.weft.metadata.volume.state.NeedsInput;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.wire.Empty;

/**
 * The manager's own: counts one more page of a directory for a tree that is new (P 6.6a). Nodes
 * that counted in an outer tree, or in none, count in this one from the same record on. After the
 * last page, and after those of trees within it, the tree's limits are in force.
 *
 * @param scan how far it has come; it moves on when the record is applied
 */
public record CountTree(ObjectId tree, QuotaScan scan) implements Operation {
  private static final int ENTRIES = 200;

  @Override
  public boolean goesOn() {
    return scan.hasMoved();
  }

  @Override
  public MessageLite execute(Execution on) throws NeedsInput, WeftException {
    Optional<QuotaTree> known = on.quotas().table().tree(tree);
    if (known.isEmpty() || known.get().counted()) {
      return Empty.getDefaultInstance();
    }
    Optional<QuotaScan.Place> place = scan.next();
    if (place.isEmpty() && on.quotas().isCountedWithin(tree)) {
      on.draft().add(new QuotaEffect.TreePut(known.get().asCounted()));
    } else if (place.isPresent()) {
      count(on, known.get(), place.get());
    }
    return Empty.getDefaultInstance();
  }

  private void count(Execution on, QuotaTree known, QuotaScan.Place place)
      throws NeedsInput, WeftException {
    Optional<Attributes> directory = on.view().find(place.directory(), List.of());
    if (directory.isEmpty()) {
      new QuotaDesk(on).requireGone(place.directory());
    }
    if (directory.isEmpty() || !directory.get().quotaTree().equals(tree)) {
      // It is gone, or was moved to another tree, with all that is in it.
      on.draft().whenApplied(() -> scan.seen(place, OptionalLong.empty(), List.of()));
      return;
    }
    DirectoryPage page = on.view().page(place.directory(), place.afterCookie(), ENTRIES);
    List<NamedEntry> entries = page.entries();
    List<Optional<Attributes>> nodes = on.view().attributesOf(entries);
    List<ObjectId> found = new ArrayList<>();
    for (int index = 0; index < nodes.size(); index++) {
      if (nodes.get(index).isPresent()) {
        take(on, known, nodes.get(index).get(), found);
      } else if (entries.get(index).entry().kind() != NodeKind.VOLUME) {
        new QuotaDesk(on).requireGone(entries.get(index).entry().object());
      }
    }
    OptionalLong cookie =
        page.end() || entries.isEmpty()
            ? OptionalLong.empty()
            : OptionalLong.of(entries.get(entries.size() - 1).cookie());
    on.draft().whenApplied(() -> scan.seen(place, cookie, found));
  }

  private void take(Execution on, QuotaTree known, Attributes node, List<ObjectId> found) {
    Optional<QuotaTree> own = on.quotas().table().tree(node.object());
    if (own.isPresent()) {
      if (isOuter(on, known, own.get().parent())) {
        on.draft().add(new QuotaEffect.TreePut(own.get().within(tree)));
      }
      return;
    }
    boolean counted = node.quotaTree().equals(tree);
    if (!counted && !isOuter(on, known, node.quotaTree())) {
      return;
    }
    if (!counted) {
      var unused = on.draft().put(node.edit().quotaTree(tree).build());
    }
    if (node.isDirectory()) {
      found.add(node.object());
    }
  }

  /** Where it was counted before this tree was made. */
  private static boolean isOuter(Execution on, QuotaTree known, ObjectId tree) {
    return tree.equals(QuotaTree.NONE)
        || on.quotas().table().chain(known.parent()).stream()
            .anyMatch(outer -> outer.directory().equals(tree));
  }
}
