package org.weft.metadata.volume.operation;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.weft.metadata.attributes.Attributes;
import org.weft.metadata.attributes.NodeKind;
import org.weft.metadata.directory.DirectoryPage;
import org.weft.metadata.journal.QuotaEffect;
import org.weft.metadata.quota.QuotaFile;
import org.weft.metadata.quota.QuotaLedger.Excess;
import org.weft.metadata.quota.QuotaLimits;
import org.weft.metadata.quota.QuotaMessages;
import org.weft.metadata.quota.QuotaTable;
import org.weft.metadata.quota.QuotaTree;
import org.weft.metadata.quota.SharePolicy;
import org.weft.metadata.volume.execution.Execution;
import org.weft.metadata.volume.state.NeedsInput;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.ObjectId;

/**
 * What operations ask and say of quotas, in the draft of one execution (P 6.6a). The change in the
 * usage of trees is found at the end, for the draft as a whole: {@link
 * org.weft.metadata.volume.operation.quota.QuotaSettlement}.
 */
public final class QuotaDesk {
  /** A directory with more nodes does not move from tree to tree in one record. */
  static final int MAX_MOVED = 1_000;

  private static final int PAGE_ENTRIES = 500;
  private static final int MAX_ASKED = 16;

  private final Execution on;

  public QuotaDesk(Execution on) {
    this.on = on;
  }

  private QuotaTable table() {
    return on.quotas().table();
  }

  /** All files of a new volume are counted. */
  public void countFromBirth() {
    on.draft()
        .add(
            new QuotaEffect.TreePut(
                new QuotaTree(ObjectId.ROOT, QuotaTree.NONE, "", QuotaLimits.NONE, true)));
  }

  /** A client is granted the writing of the file: with a share, if its tree bounds bytes. */
  void openShare(Attributes file) {
    if (!table().boundsBytes(file.quotaTree()) || isWrittenWithoutShare(file.object())) {
      return;
    }
    long givenBytes = givenBytes(file);
    long aheadBytes = SharePolicy.aheadBytes(table().roomBytes(file.quotaTree()));
    on.draft().share(file.object(), Math.max(givenBytes, file.sizeBytes() + aheadBytes));
  }

  /**
   * A share bounds all writers of the file. One that was there before the limit knows of none, and
   * goes on; so does its grant in the place of another.
   */
  private boolean isWrittenWithoutShare(ObjectId object) {
    if (limitOf(object).isPresent()) {
      return false;
    }
    return on.grants().of(object).stream()
        .anyMatch(
            grant ->
                !on.draft().closes(grant.number()) || grant.session().equals(on.session().id()));
  }

  /** The length that the file may have already. */
  private long givenBytes(Attributes file) {
    return table()
        .file(file.object())
        .map(known -> Math.max(known.limitBytes(), known.sizeBytes()))
        .orElse(file.sizeBytes());
  }

  /** The length up to which writers of the file need not ask; empty: any length. */
  public OptionalLong limitOf(ObjectId object) {
    Long drafted = on.draft().shares().get(object);
    long limit =
        drafted != null
            ? drafted
            : table().file(object).map(QuotaFile::limitBytes).orElse(QuotaFile.NO_SHARE);
    return limit == QuotaFile.NO_SHARE ? OptionalLong.empty() : OptionalLong.of(limit);
  }

  /**
   * A writer wants to make the file so long.
   *
   * @param patient BUSY rather than QUOTA_EXCEEDED, while others may give back what they do not use
   * @throws WeftException QUOTA_EXCEEDED if there is no room for that
   */
  public void extend(Attributes file, long lengthBytes, boolean patient) throws WeftException {
    ObjectId tree = file.quotaTree();
    if (!table().boundsBytes(tree)) {
      on.draft().share(file.object(), QuotaFile.NO_SHARE);
      return;
    }
    long givenBytes = givenBytes(file);
    long neededBytes = Math.max(0, lengthBytes - givenBytes);
    long roomBytes = table().roomBytes(tree);
    if (neededBytes > roomBytes) {
      QuotaTree tightest = table().tightest(tree).orElseThrow();
      takeBack(file, tightest, patient);
      throw exceeded(tightest, neededBytes);
    }
    long aheadBytes = SharePolicy.aheadBytes(roomBytes - neededBytes);
    on.draft().share(file.object(), Math.max(givenBytes, lengthBytes) + aheadBytes);
  }

  /** Idle writers give their grants back, and their shares with them. */
  private void takeBack(Attributes file, QuotaTree tightest, boolean patient) throws WeftException {
    List<ObjectId> holders = table().holders(tightest.directory(), file.object(), MAX_ASKED);
    for (ObjectId holder : holders) {
      on.grantWishes().wanted(holder, on.session().id(), false, on.nowNanos());
    }
    if (patient && !holders.isEmpty()) {
      throw new WeftException(
          ErrorCode.BUSY,
          "the quota of /%s is full, but writers of %d other files have room there that they do not use, and are asked for it; ask again"
              .formatted(tightest.path(), holders.size()));
    }
  }

  private WeftException exceeded(QuotaTree tree, long neededBytes) {
    return QuotaMessages.exceeded(
        new Excess(
            tree,
            true,
            tree.limits().hardBytes(),
            table().usage(tree.directory()).bytes(),
            table().reservedBytes(tree.directory()),
            neededBytes));
  }

  /**
   * A writer reports that the file has this length.
   *
   * @throws WeftException QUOTA_EXCEEDED if it had no share for that
   */
  public void requireWithinShare(ObjectId object, long lengthBytes) throws WeftException {
    Optional<QuotaFile> known = table().file(object);
    if (known.isPresent()
        && known.get().hasShare()
        && lengthBytes > Math.max(known.get().limitBytes(), known.get().sizeBytes())) {
      throw new WeftException(
          ErrorCode.QUOTA_EXCEEDED,
          "object %s may be %d bytes long by its quota, and its writer says %d; it is to ask before it writes more"
              .formatted(object, known.get().limitBytes(), lengthBytes));
    }
  }

  /**
   * A node, as the draft has it, has come into another directory or to another name. It counts
   * where that counts, with all that is in it. A file with several names counts where it did.
   *
   * @throws WeftException UNSUPPORTED if too much is in it for one record; UNAVAILABLE while it is
   *     being counted
   */
  public void moved(ObjectId object, Attributes parent, Object what)
      throws NeedsInput, WeftException {
    if (table().isEmpty()) {
      return;
    }
    Attributes node = on.draft().attributes(object).orElseThrow();
    Deque<Attributes> directories = new ArrayDeque<>();
    int moved = 0;
    take(node, parent.quotaTree(), what, directories);
    while (!directories.isEmpty()) {
      Attributes directory = directories.pop();
      moved += Math.toIntExact(Math.min(directory.entries(), MAX_MOVED + 1));
      if (moved > MAX_MOVED) {
        throw new WeftException(
            ErrorCode.UNSUPPORTED,
            "%s holds more than %d files and would move from one quota's tree to another's; move what is in it in parts, or copy it"
                .formatted(what, MAX_MOVED));
      }
      DirectoryPage page;
      long cookie = 0;
      do {
        page = on.view().page(directory.object(), cookie, PAGE_ENTRIES);
        List<Optional<Attributes>> children = on.view().attributesOf(page.entries());
        for (int index = 0; index < children.size(); index++) {
          if (children.get(index).isPresent()) {
            take(children.get(index).get(), parent.quotaTree(), what, directories);
          } else {
            requireGone(page.entries().get(index).entry().object());
          }
          cookie = page.entries().get(index).cookie();
        }
      } while (!page.end());
    }
  }

  private void take(Attributes node, ObjectId tree, Object what, Deque<Attributes> directories)
      throws WeftException {
    Optional<QuotaTree> own = table().tree(node.object());
    if (own.isPresent()) {
      if (own.get().parent().equals(tree)) {
        return;
      }
      if (!own.get().counted()) {
        throw new WeftException(
            ErrorCode.UNAVAILABLE,
            what + " cannot move while its quota is being counted; try again later");
      }
      int nested = table().chain(tree).size() + 1 + table().heightWithin(node.object());
      if (nested > QuotaTable.MAX_NESTED) {
        throw new WeftException(
            ErrorCode.UNSUPPORTED,
            "%s would lie under more than %d directories with quotas; copy what is in it"
                .formatted(what, QuotaTable.MAX_NESTED));
      }
      on.draft().add(new QuotaEffect.TreePut(own.get().within(tree)));
      return;
    }
    if (node.quotaTree().equals(tree)) {
      return;
    }
    if (node.kind() == NodeKind.FILE && node.links() > 1) {
      return;
    }
    var unused = on.draft().put(node.edit().quotaTree(tree).build());
    if (node.isDirectory()) {
      directories.push(node);
    }
  }

  /** What is lost for good counts nothing; of what may come back nothing is known. */
  public void requireGone(ObjectId object) throws WeftException {
    if (!on.view().mayHaveAttributes(object).isEmpty()) {
      throw new WeftException(
          ErrorCode.UNAVAILABLE,
          "object " + object + " cannot be counted before OSDs that may have it reply; try again");
    }
  }
}
