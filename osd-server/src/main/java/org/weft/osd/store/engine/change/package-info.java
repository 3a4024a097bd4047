/**
 * What each kind of mutation does (P 5.3 to 5.7, 6.3, 6.6). {@code MutationPreparer} makes a change
 * of each mutation, prepares it on the caller's thread and hands it to the committer, which stages
 * it. {@code MutationAdmission} and {@code PendingRules} say what is refused. {@code OsdfsStore}
 * calls {@code MutationPreparer}, {@code InlineCommitPolicy} and {@code Reaper}; the changes
 * themselves are seen here alone. Uses {@code commit}, {@code block} and {@code state}.
 */
package org.weft.osd.store.engine.change;
