package org.weft.metadata.journal;

import java.util.Objects;
import org.weft.metadata.quota.QuotaFile;
import org.weft.metadata.quota.QuotaTree;
import org.weft.metadata.quota.QuotaUsage;
import org.weft.protocol.id.ObjectId;

/**
 * An effect on the usage of trees (P 6.6a). Usage stands, as it is afterwards, in the very record
 * that changes it, so that it is exact wherever a journal ends.
 */
public sealed interface QuotaEffect extends LiveEffect.OfQuotas {
  /** The tree is so from now on, but for its usage. */
  record TreePut(QuotaTree tree) implements QuotaEffect {
    public TreePut {
      Objects.requireNonNull(tree, "tree");
    }
  }

  /** The tree holds so much. */
  record TreeUsed(ObjectId tree, QuotaUsage usage) implements QuotaEffect {
    public TreeUsed {
      Objects.requireNonNull(tree, "tree");
      Objects.requireNonNull(usage, "usage");
    }
  }

  /** The tree's directory is gone, and nothing is counted in it. */
  record TreeGone(ObjectId tree) implements QuotaEffect {
    public TreeGone {
      Objects.requireNonNull(tree, "tree");
    }
  }

  /** What is known of a file that is written under a share, or has no name. */
  record FilePut(QuotaFile file) implements QuotaEffect {
    public FilePut {
      Objects.requireNonNull(file, "file");
    }
  }
}
