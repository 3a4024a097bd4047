/**
 * A volume's part in the balance of its BladeSet (P 6.8c). It decides which components of its files
 * leave OSDs that hold more than others, and where they go. Pure; runs on the volume's thread.
 */
package org.weft.metadata.balance;
