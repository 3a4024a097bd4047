package org.weft.metadata.journal;

import org.weft.metadata.quota.QuotaFile;
import org.weft.metadata.quota.QuotaLimits;
import org.weft.metadata.quota.QuotaTree;
import org.weft.metadata.quota.QuotaUsage;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.wire.EffectMessage;
import org.weft.protocol.wire.QuotaFileEffect;
import org.weft.protocol.wire.QuotaTreeEffect;
import org.weft.protocol.wire.QuotaTreeGoneEffect;
import org.weft.protocol.wire.QuotaUsageEffect;

/** Between effects on the usage of trees and their messages. */
final class QuotaEffectCodec {
  private QuotaEffectCodec() {}

  static void add(EffectMessage.Builder message, QuotaEffect effect) {
    if (effect instanceof QuotaEffect.TreePut put) {
      message.setQuotaTree(toMessage(put.tree()));
    } else if (effect instanceof QuotaEffect.TreeUsed used) {
      message.setQuotaUsage(
          QuotaUsageEffect.newBuilder()
              .setDirectoryId(used.tree().value())
              .setBytes(used.usage().bytes())
              .setFiles(used.usage().files())
              .setSoftBytesSinceMillis(used.usage().softBytesSinceMillis())
              .setSoftFilesSinceMillis(used.usage().softFilesSinceMillis()));
    } else if (effect instanceof QuotaEffect.TreeGone gone) {
      message.setQuotaTreeGone(
          QuotaTreeGoneEffect.newBuilder().setDirectoryId(gone.tree().value()));
    } else if (effect instanceof QuotaEffect.FilePut put) {
      message.setQuotaFile(
          QuotaFileEffect.newBuilder()
              .setObjectId(put.file().object().value())
              .setTreeId(put.file().tree().value())
              .setSize(put.file().sizeBytes())
              .setLimitAndOne(put.file().limitBytes() + 1));
    } else {
      throw new AssertionError("unhandled effect: " + effect);
    }
  }

  private static QuotaTreeEffect toMessage(QuotaTree tree) {
    return QuotaTreeEffect.newBuilder()
        .setDirectoryId(tree.directory().value())
        .setParentId(tree.parent().value())
        .setPath(tree.path())
        .setHardBytes(tree.limits().hardBytes())
        .setHardFiles(tree.limits().hardFiles())
        .setSoftBytes(tree.limits().softBytes())
        .setSoftFiles(tree.limits().softFiles())
        .setCounted(tree.counted())
        .build();
  }

  static QuotaEffect fromMessage(EffectMessage message) {
    return switch (message.getEffectCase()) {
      case QUOTA_TREE -> new QuotaEffect.TreePut(tree(message.getQuotaTree()));
      case QUOTA_USAGE -> used(message.getQuotaUsage());
      case QUOTA_TREE_GONE ->
          new QuotaEffect.TreeGone(new ObjectId(message.getQuotaTreeGone().getDirectoryId()));
      case QUOTA_FILE -> new QuotaEffect.FilePut(file(message.getQuotaFile()));
      default -> throw new IllegalArgumentException("not an effect on quotas: " + message);
    };
  }

  private static QuotaTree tree(QuotaTreeEffect tree) {
    return new QuotaTree(
        new ObjectId(tree.getDirectoryId()),
        new ObjectId(tree.getParentId()),
        tree.getPath(),
        new QuotaLimits(
            tree.getHardBytes(), tree.getHardFiles(), tree.getSoftBytes(), tree.getSoftFiles()),
        tree.getCounted());
  }

  private static QuotaEffect used(QuotaUsageEffect used) {
    return new QuotaEffect.TreeUsed(
        new ObjectId(used.getDirectoryId()),
        new QuotaUsage(
            used.getBytes(),
            used.getFiles(),
            used.getSoftBytesSinceMillis(),
            used.getSoftFilesSinceMillis()));
  }

  private static QuotaFile file(QuotaFileEffect file) {
    return new QuotaFile(
        new ObjectId(file.getObjectId()),
        new ObjectId(file.getTreeId()),
        file.getSize(),
        file.getLimitAndOne() - 1);
  }
}
