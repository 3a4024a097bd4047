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
  /** The tree has these limits and this state from now on. Its usage is not part of it. */
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

  /** The tree's directory is gone, and no node counts in it. */
  record TreeGone(ObjectId tree) implements QuotaEffect {
    public TreeGone {
      Objects.requireNonNull(tree, "tree");
    }
  }

  /** Usage of a file that is written under a share, or has no name. */
  record FilePut(QuotaFile file) implements QuotaEffect {
    public FilePut {
      Objects.requireNonNull(file, "file");
    }
  }
}
